"""Where a search looks: made of the declared settings, round what suits the graph.

A setting says by its declaration how far from its default a search goes (`Setting.search`). What
the other settings have no use for, and what is refused beside them, is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from transa.declarations import Setting, declarations
from transa.errors import ConfigError
from transa.margins import Fixed
from transa.settings.config import Plain, Settings, make_settings, to_plain
from transa.settings.recipe import Recipe
from transa.training.engines import engine_for

# A fused step takes one block, so that these engines have no use for a batch.
_WITHOUT_BATCH = ("fused", "listwise, fused")


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`, as often from each of their doublings."""

    low: float
    high: float


Alternatives: TypeAlias = Range | tuple[Any, ...]
"""What a setting may be: numbers of a range, or one of the values named."""


@dataclass(frozen=True)
class Space:
    """What is searched of one model.

    Attributes:
        defaults: the settings that suit the graph, where the search begins.
        alternatives: by setting, what it may be instead.

    Example:
        >>> from transa.settings.by_size import settings_for
        >>> space = Space.round(settings_for("complex", {}).settings)
        >>> space.alternatives["dim"], space.alternatives["lr"]
        ((128, 256, 512), Range(low=0.0025, high=0.04))
    """

    defaults: Settings
    alternatives: Mapping[str, Alternatives]

    @classmethod
    def round(cls, defaults: Settings) -> Space:
        """What can be searched round these settings."""
        return cls(defaults, dict(_found(defaults)))

    @property
    def begin(self) -> Plain:
        """The defaults of what is searched."""
        return {name: _plain(self.defaults, name) for name in self.alternatives}

    def settings(self, chosen: Mapping[str, object]) -> Settings:
        """The settings with some of them chosen otherwise; numbers to three digits."""
        begin = self.begin
        rounded = {
            name: float(f"{value:.3g}")
            if isinstance(value, float) and value != begin[name]
            else value
            for name, value in chosen.items()
        }
        return make_settings(**{**to_plain(self.defaults), **rounded})


def _found(defaults: Settings) -> Iterator[tuple[str, Alternatives]]:
    declared = {**declarations(type(defaults.energy)), **declarations(Recipe)}
    engine = engine_for(defaults.energy, defaults.recipe).name
    for name, of in declared.items():
        is_of_use = all(defaults.by_name.get(other) in words for other, words in of.needs.items())
        if not (of.search and is_of_use) or (name == "batch" and engine in _WITHOUT_BATCH):
            continue
        alternatives = _alternatives(of, _plain(defaults, name))
        if isinstance(alternatives, tuple):
            legal = tuple(each for each in alternatives if _is_legal(defaults, name, each))
            if len(legal) > 1:
                yield name, legal
        elif alternatives and all(
            _is_legal(defaults, name, each) for each in (alternatives.low, alternatives.high)
        ):
            yield name, alternatives


def _alternatives(of: Setting, value: Any) -> Alternatives | None:  # noqa: ANN401
    """What is near a default; nothing is near to 0, nor to a margin that is measured."""
    if isinstance(of.search, tuple):
        return None if value is None else tuple(dict.fromkeys((value, *of.search)))
    if not value:
        return None
    if int in of.types:
        sizes, factor = {value}, 1
        while factor < of.search:
            factor *= 2
            sizes |= {max(1, value // factor), value * factor}
        return tuple(sorted(sizes))
    return Range(float(f"{value / of.search:.3g}"), float(f"{value * of.search:.3g}"))


def _plain(settings: Settings, name: str) -> Any:  # noqa: ANN401
    """A setting as a number or a word; None for what is neither."""
    value = settings.by_name[name]
    if name == "margin":
        return value.value if isinstance(value, Fixed) else None
    return value


def _is_legal(defaults: Settings, name: str, value: object) -> bool:
    """Whether the other settings and the engines let it stand."""
    try:
        settings = make_settings(**{**to_plain(defaults), name: value})
        # What an engine would have to be written for is not asked for by a search.
        same = engine_for(settings.energy, settings.recipe).name
    except ConfigError:
        return False
    return same == engine_for(defaults.energy, replace(defaults.recipe)).name
