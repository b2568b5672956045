"""A setting is declared once: a field of a frozen dataclass, with its help, its range, its needs.

Its checks, its option on the command line, its line in a config file, its keyword and its row in
docs/settings.md are all derived from that field.
"""

from __future__ import annotations

import difflib
import math
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import Field, dataclass, field, fields, replace
from functools import cache
from numbers import Integral, Real
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from transa.errors import ConfigError

T = TypeVar("T")

_KEY = "setting"
_LARGEST = 10**9
"""Of whole numbers that say no other bound: what is larger is a slip, and overflows somewhere."""


@dataclass(frozen=True)
class Setting:
    """What is declared of a setting; the name, the type and the default are those of the field.

    Attributes:
        help: one line.
        note: what else there is to say.
        least: the smallest legal number.
        above: a number that all legal ones are above.
        most: the largest legal number.
        below: a number that all legal ones are below.
        needs: other settings of the same class, each with the values that make this one count.
        panel: where the command line's help has it.
        also: words that are legal besides those of the type; who registers one adds to it.
        metavar: what may be given, where the type does not tell.
        convert: makes the value of what is given, where the type cannot.
        called: what refusals call it, instead of its name.
        search: where a search over settings looks: so many times less to so many times more than
            the default of the model on its graph (whole numbers by doubling), or the values named.
        neutral: the value that changes nothing, of a setting that came after the first records of
            experiments: a record from before is of the same work.
        name: of the field.
        type: of the field.
        default: of the field.
    """

    help: str = ""
    note: str = ""
    least: float | None = None
    above: float | None = None
    most: float | None = None
    below: float | None = None
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    panel: str = "Learning"
    also: list[str] = field(default_factory=list)
    metavar: str = ""
    convert: Callable[[object], Any] | None = None
    called: str = ""
    search: float | tuple[object, ...] = ()
    neutral: object = None
    name: str = ""
    type: object = None
    default: Any = None

    @property
    def types(self) -> tuple[Any, ...]:
        """What a value may be."""
        return get_args(self.type) if isinstance(self.type, UnionType) else (self.type,)

    @property
    def choices(self) -> tuple[str, ...]:
        """The legal words; empty where it is no choice between words."""
        words = get_args(self.type) if get_origin(self.type) is Literal else ()
        return (*words, *self.also)

    @property
    def legal(self) -> str:
        """What may be given, in a word or a few: ``a|b``, ``INTEGER``, ``FLOAT``."""
        of_type = {bool: "true|false", int: "INTEGER", float: "FLOAT"}.get(self.types[0], "WORD")
        return self.metavar or "|".join(self.choices) or of_type

    @property
    def line(self) -> str:
        """The help, told first what it is of: ``Logistic: radius of ...``."""
        if not self.needs:
            return self.help
        of = " or ".join(word for words in self.needs.values() for word in words if word != "auto")
        return f"{of.capitalize()}: {self.help[:1].lower()}{self.help[1:]}"

    def checked(self, given: object) -> object:
        """The value as the field has it: 1 as 1.0, '1e-3' as 0.001.

        Raises:
            ConfigError: for what cannot be one.
        """
        if self.convert is not None:
            return self.convert(given)
        value = self._typed(given)
        if type(value) in (int, float):
            self._check_range(value)  # type: ignore[arg-type]
        return value

    def check_needs(self, of: object) -> None:
        """Refuse a value that would count for nothing beside the other settings."""
        if getattr(of, self.name) == self.default:
            return
        for other, wanted in self.needs.items():
            if (found := getattr(of, other)) not in wanted:
                words = " or ".join(wanted)
                self._refuse(f"is of the {words} {other}; {found} has no use for it")

    def _typed(self, value: object) -> object:
        if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
            value = value.item()  # of NumPy's scalars
        types = self.types
        if value is None and NoneType in types:
            return None
        if self.choices:
            if value not in self.choices:
                self._refuse(f"is one of {', '.join(self.choices)}; found {shown(value)}")
            return value
        if bool in types or str in types:
            if type(value) not in types:
                what = "true or false" if bool in types else "a word"
                self._refuse(f"is {what}, found {shown(value)}")
            return value
        number = finite(value)
        if int in types:
            if number is None or number != int(number):
                self._refuse(f"is a whole number, found {shown(value)}")
            return int(number)  # type: ignore[arg-type]
        if float in types:
            if number is None or abs(number) > sys.float_info.max:
                self._refuse(f"is a number, found {shown(value)}")
            return float(number)  # type: ignore[arg-type]
        return value

    def _check_range(self, value: float) -> None:
        most = _LARGEST if self.most is None and isinstance(value, int) else self.most
        if self.least is not None and value < self.least:
            self._refuse(f"is at least {self.least:,}, found {shown(value)}")
        if self.above is not None and value <= self.above:
            what = "a positive number" if self.above == 0 else f"above {self.above:,}"
            self._refuse(f"is {what}, found {shown(value)}")
        if most is not None and value > most:
            self._refuse(f"is at most {most:,}, found {shown(value)}")
        if self.below is not None and value >= self.below:
            self._refuse(f"is below {self.below:,}, found {shown(value)}")

    def _refuse(self, sentence: str) -> None:
        raise ConfigError(f"{self.called or self.name} {sentence}")


def setting(default: T, help_: str, note: str = "", **declared: Any) -> T:  # noqa: ANN401
    """A field of a `Declared` dataclass: its default, and what `Setting` has room for."""
    made: Any = field(default=default, metadata={_KEY: Setting(help_, note, **declared)})
    return made  # type: ignore[no-any-return]


class Declared:
    """A frozen dataclass of settings: checks them, and tells of them in its docstring."""

    def __init_subclass__(cls) -> None:
        own = {n: f.metadata[_KEY] for n, f in vars(cls).items() if _is_declared(f)}
        if own and cls.__doc__:
            lines = (f"        {n}: {' '.join((s.help, s.note)).rstrip()}" for n, s in own.items())
            cls.__doc__ = "\n".join([cls.__doc__.rstrip(), "", "    Settings:", *lines, "    "])

    def __post_init__(self) -> None:
        declared = declarations(type(self))
        for name, of in declared.items():
            object.__setattr__(self, name, of.checked(getattr(self, name)))
        for of in declared.values():
            of.check_needs(self)


def declarations(kind: type[Any]) -> Mapping[str, Setting]:
    """The settings that a dataclass has, by name.

    A subclass that names a setting again changes its default and nothing else.
    """
    return _declarations(kind)  # type: ignore[arg-type]


@cache
def _declarations(kind: type[Any]) -> Mapping[str, Setting]:
    hints = get_type_hints(kind)
    found = {}
    for own in fields(kind):
        same = (vars(base).get("__dataclass_fields__", {}).get(own.name) for base in kind.__mro__)
        declared = next((f.metadata[_KEY] for f in same if _is_declared(f)), Setting())
        found[own.name] = replace(
            declared, name=own.name, type=hints[own.name], default=own.default
        )
    return MappingProxyType(found)


def refuse_unknown(names: Iterable[str], known: Iterable[str], of: str) -> None:
    """Refuse a name that is none of those known; suggests one that is."""
    known = sorted(known)
    for name in names:
        if name not in known:
            raise ConfigError(f"no option {name!r} for {of}; {suggestion(name, known)}")


def suggestion(word: str, known: Iterable[str]) -> str:
    """The name that may have been meant, or all there are."""
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1)
    return f"did you mean {close[0]!r}?" if close else f"there are {', '.join(names)}"


def finite(value: object) -> int | float | None:
    """The finite number that a value is, or None; as text too, since YAML reads 1e-3 as a word."""
    if isinstance(value, bool) or not isinstance(value, Real | str):
        return None
    if isinstance(value, Integral | str):
        with suppress(ValueError):
            return int(value)
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def shown(value: object) -> str:
    """A value as a refusal shows it: not by the page."""
    try:
        text = repr(value)
    except ValueError:  # Python does not write out whole numbers of thousands of digits.
        return "a number of thousands of digits"
    return text if len(text) <= 80 else f"{text[:60]}..."


def _is_declared(found: object) -> bool:
    return isinstance(found, Field) and _KEY in found.metadata
