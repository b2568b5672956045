"""``classifier.json``: what it must be."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from transa.classification.classifier import Classifier, ThresholdKind, UnseenEntities
from transa.classification.thresholds.calibration import (
    Calibration,
    Curve,
    Isotonic,
    Method,
    Platt,
)
from transa.classification.thresholds.local import Shifts
from transa.classification.thresholds.per_relation import Thresholds
from transa.errors import StoreError
from transa.files.schema import Natural, conform
from transa.graph import Vocabulary
from transa.storage.graph_files import by_id

_NAME = "classifier.json"

# Numbers that move a threshold of each kind; see `transa.classification.judge`.
_WEIGHTS = {"relation": None, "local": 4, "names": 6}


@dataclass(frozen=True)
class _Threshold:
    threshold: float
    fitted_on: Natural


@dataclass(frozen=True)
class _Curves:
    method: Method
    pooled: Curve
    own: dict[str, Curve]

    def __post_init__(self) -> None:
        kind = Platt if self.method == "platt" else Isotonic
        for curve in (self.pooled, *self.own.values()):
            if not isinstance(curve, kind) or not _rises(curve):
                raise StoreError(f"a curve of the calibration is no {self.method} one that rises")


@dataclass(frozen=True)
class _Shifts:
    pooled: tuple[float, ...]
    own: dict[str, tuple[float, ...]]


@dataclass(frozen=True)
class _File:
    unseen: UnseenEntities
    fitted_on: str
    threshold: float
    thresholds: dict[str, _Threshold]
    calibration: _Curves
    # Folders from before thresholds could move do not say that theirs do not.
    kind: ThresholdKind = "relation"
    shifts: _Shifts | None = None

    def __post_init__(self) -> None:
        shifts = self.shifts
        found = (
            {None} if shifts is None else {len(w) for w in (shifts.pooled, *shifts.own.values())}
        )
        if found != {_WEIGHTS[self.kind]}:
            raise StoreError(f"the shifts are not those of {self.kind} thresholds")


def classifier_of(plain: dict[str, Any], relations: Vocabulary) -> Classifier:
    """The classifier that the file tells of.

    Raises:
        StoreError, UnknownNameError: if it is not what `Classifier.to_plain` gave.
    """
    told: _File = conform(_File, plain, _NAME)
    values = np.full(len(relations), told.threshold)
    counts = np.zeros(len(relations), dtype=np.int64)
    for r, own in by_id(told.thresholds, relations, _NAME).items():
        values[r], counts[r] = own.threshold, own.fitted_on
    curves, shifts = told.calibration, told.shifts
    return Classifier(
        Thresholds(told.threshold, values, counts),
        Calibration(curves.method, curves.pooled, by_id(curves.own, relations, _NAME)),
        told.unseen,
        told.fitted_on,
        told.kind,
        None if shifts is None else Shifts(shifts.pooled, by_id(shifts.own, relations, _NAME)),
    )


def _rises(curve: Curve) -> bool:
    """As every calibration does: what is more plausible is not less probable."""
    if isinstance(curve, Platt):
        return curve.slope >= 0
    shares = (0.0, *curve.shares, 1.0)
    return 0 < len(curve.margins) == len(curve.shares) and all(
        one <= next_ for row in (curve.margins, shares) for one, next_ in itertools.pairwise(row)
    )
