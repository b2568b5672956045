"""``probabilities.json``: what it must be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, TypeAlias

from transa.asking.probability.curves import (
    PLACES,
    Bin,
    Curve,
    Curves,
    Place,
    Probabilities,
    Reliability,
)
from transa.files.schema import Between, Natural, NotNegative, conform
from transa.graph import Vocabulary
from transa.storage.graph_files import by_id

NAME = "probabilities.json"

Share: TypeAlias = Annotated[float, Between(0, 1)]


@dataclass(frozen=True)
class _Curve:
    gap: NotNegative
    rank: NotNegative
    first: float
    lead: float
    known: float
    intercept: float


@dataclass(frozen=True)
class _Bin:
    count: Natural
    predicted: Share
    observed: Share


@dataclass(frozen=True)
class _Reliability:
    questions: Natural
    error: Share
    error_of_first: Share
    bins: tuple[_Bin, ...]


@dataclass(frozen=True)
class _Curves:
    pooled: _Curve
    own: dict[str, _Curve]
    reliability: _Reliability


@dataclass(frozen=True)
class _File:
    head: _Curves
    relation: _Curves
    tail: _Curves


def to_plain(probabilities: Probabilities, relations: Vocabulary) -> dict[str, Any]:
    """For JSON: relations by label, and only those with a curve of their own."""
    return {place: _plain(probabilities.of_place(place), relations) for place in PLACES}


def _plain(curves: Curves, relations: Vocabulary) -> dict[str, Any]:
    return {
        "pooled": asdict(curves.pooled),
        "own": {relations.label(r): asdict(curve) for r, curve in curves.own.items()},
        "reliability": asdict(curves.reliability),
    }


def probabilities_of(plain: dict[str, Any], relations: Vocabulary) -> Probabilities:
    """What the file tells of.

    Raises:
        StoreError, UnknownNameError: if it is not what `to_plain` gave.
    """
    told: _File = conform(_File, plain, NAME)
    return Probabilities(**{place: _curves(told, place, relations) for place in PLACES})


def reliability_of(plain: dict[str, Any]) -> dict[Place, Reliability]:
    """What the file tells of how far it can be trusted, place by place."""
    told: _File = conform(_File, plain, NAME)
    return {place: _reliability(getattr(told, place).reliability) for place in PLACES}


def in_words(found: Mapping[Place, Reliability]) -> str:
    """How far off probabilities are, for people."""
    errors = (f"{each.error_of_first:.3f} for {place}s" for place, each in found.items())
    return f"of first answers off by {', '.join(errors)} (cross-validated)"


def _curves(told: _File, place: Place, relations: Vocabulary) -> Curves:
    curves: _Curves = getattr(told, place)
    own = by_id(curves.own, relations, NAME)
    return Curves(
        Curve(**vars(curves.pooled)),
        {r: Curve(**vars(curve)) for r, curve in own.items()},
        _reliability(curves.reliability),
    )


def _reliability(told: _Reliability) -> Reliability:
    bins = tuple(Bin(**vars(each)) for each in told.bins)
    return Reliability(told.questions, told.error, told.error_of_first, bins)
