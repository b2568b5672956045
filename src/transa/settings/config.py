"""Settings as plain data: what a config file, a model folder and a constructor have in common.

A setting is named once, flat: the model, its energy's hyper-parameters and its recipe's fields
stand side by side (``model: transa``, ``dim: 100``, ``epochs: 50``). Only the margin has an inside,
told by its kind: ``margin: {kind: adaptive, mu: 0.5}``; a bare number is a fixed one.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from numbers import Integral, Real
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeAlias, get_args, get_type_hints

from transa.errors import ConfigError
from transa.margins.margin import Adaptive, Fixed, Margin
from transa.models import MODELS, Energy
from transa.settings.recipe import Recipe

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Plain: TypeAlias = dict[str, Any]
"""What JSON and YAML can hold."""

_MARGINS: Mapping[str, type[Margin]] = {"fixed": Fixed, "adaptive": Adaptive}


@dataclass(frozen=True)
class Settings:
    """Everything that decides a model but the graph.

    Example:
        >>> settings = make_settings("transa", dim=50, margin={"kind": "adaptive", "mu": 0.5})
        >>> settings.energy.dim, settings.recipe.margin.mu
        (50, 0.5)
        >>> make_settings(**to_plain(settings)) == settings
        True
    """

    model: str
    energy: Energy
    recipe: Recipe


def make_settings(model: str = "transa", **options: object) -> Settings:
    """Settings from the options given, typed or plain; the others keep their defaults.

    Raises:
        ConfigError: for a model, option or value that does not exist; says what does.
    """
    if not isinstance(model, str):
        raise ConfigError(f"model is a word, found {model!r}")
    # As papers write it.
    model = model if model in MODELS else model.lower()
    if model not in MODELS:
        raise ConfigError(f"no model {model!r}; {_choices(model, MODELS)}")
    kind = MODELS[model]
    options = {**kind.recipe, **options}
    of_energy, of_recipe = _types(kind.energy), _types(Recipe)
    known = {**of_energy, **of_recipe}
    for name in options:
        if name not in known and name in _types(Adaptive):
            raise ConfigError(
                f"{name} is of the margin: margin=transa.Adaptive({name}=...), in a file "
                f"margin: {{kind: adaptive, {name}: ...}}"
            )
        if name not in known:
            raise ConfigError(f"no option {name!r} for {model}; {_choices(name, known)}")
    margin = make_margin(options.get("margin", Fixed()))
    if model == "transa" and not isinstance(margin, Adaptive):
        raise ConfigError(
            f"TransA's margin is adaptive; a fixed margin of {margin.value:g} makes it TransE: "
            "choose the model transe"
        )
    recipe = _values(of_recipe, {**options, "margin": margin})
    return Settings(model, kind.energy(**_values(of_energy, options)), Recipe(**recipe))


def suited(settings: Settings, n_entities: int, n_triples: int) -> Settings:
    """The same with the dimensions that suit a graph of so many entities and training triples."""
    energy = settings.energy
    return replace(settings, energy=replace(energy, dim=energy.dim_for(n_entities, n_triples)))


def make_margin(value: object) -> Margin:
    """A margin from its plain form: a number, a kind, or a mapping with a kind."""
    if isinstance(value, (Fixed, Adaptive)):
        return value
    if isinstance(value, Mapping):
        options = {str(name): option for name, option in value.items()}
        kind = options.pop("kind", None)
    elif (number := _number(value)) is not None:
        kind, options = "fixed", {"value": number}
    else:
        kind, options = value, {}
    if not isinstance(kind, str) or kind not in _MARGINS:
        raise ConfigError(f"a margin is adaptive, fixed or a number; found {value!r}")
    known = _types(_MARGINS[kind])
    for name in options:
        if name not in known:
            raise ConfigError(f"no option {name!r} for the {kind} margin; {_choices(name, known)}")
    return _MARGINS[kind](**_values(known, options))


def to_plain(settings: Settings) -> Plain:
    """The flat form, every setting written out; `make_settings` is its inverse."""
    margin = settings.recipe.margin
    (kind,) = (name for name, type_ in _MARGINS.items() if isinstance(margin, type_))
    return {
        "model": settings.model,
        **asdict(settings.energy),
        **asdict(settings.recipe),
        "margin": {"kind": kind, **asdict(margin)},
    }


def read_options(path: Path) -> Plain:
    """The options of a YAML or JSON file; a model folder's ``config.json`` does as well.

    Raises:
        ConfigError: for a file that is missing or is not a mapping of options.
    """
    import yaml

    try:
        # JSON is YAML, so one parser reads both.
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    except (yaml.YAMLError, UnicodeDecodeError):
        raise ConfigError(f"{path}: neither YAML nor JSON") from None
    if isinstance(content, dict) and isinstance(content.get("settings"), dict):
        content = content["settings"]
    if not isinstance(content, dict) or not all(isinstance(name, str) for name in content):
        raise ConfigError(f"{path}: expected options, one 'name: value' a line")
    return content


def to_yaml(settings: Settings) -> str:
    """A config file that `read_options` reads again."""
    import yaml

    text: str = yaml.safe_dump(to_plain(settings), sort_keys=False)
    return text


def _types(kind: type[DataclassInstance]) -> dict[str, Any]:
    """The fields of a dataclass, and what each may be."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _values(types: Mapping[str, Any], options: Mapping[str, object]) -> Plain:
    """The options that `types` names, each converted to its type."""
    return {name: _typed(name, types[name], options[name]) for name in types if name in options}


def _typed(name: str, type_: object, value: object) -> object:
    """The value as a field of that type has it: 1 as 1.0, '1e-3' as 0.001."""
    allowed = get_args(type_) if isinstance(type_, UnionType) else (type_,)
    if type(value) in allowed and not isinstance(value, float):
        return value
    if bool in allowed:
        raise ConfigError(f"{name} is true or false, found {value!r}")
    number = _number(value)
    if float in allowed:
        if number is not None:
            return float(number)
        raise ConfigError(f"{name} is a number, found {value!r}")
    if int in allowed:
        if number is not None and number == int(number):
            return int(number)
        raise ConfigError(f"{name} is a whole number, found {value!r}")
    # What is left are words, of which the recipe knows which are legal.
    if isinstance(value, str):
        return value
    words = f"one of {', '.join(allowed)}" if (allowed := get_args(type_)) else "a word"
    raise ConfigError(f"{name} is {words}; found {value!r}")


def _number(value: object) -> int | float | None:
    """The finite number that a value is, or None; as text too, since YAML reads 1e-3 as a word."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    if not isinstance(value, Real | str) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _choices(word: str, known: Iterable[str]) -> str:
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1)
    return f"did you mean {close[0]!r}?" if close else f"there are {', '.join(names)}"
