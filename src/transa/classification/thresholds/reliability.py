"""How far probabilities can be taken at their word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

BINS = 10


@dataclass(frozen=True, eq=False)
class Reliability:
    """Probabilities in bins of equal width, against what turned out true.

    Attributes:
        counts: triples per bin; triples without a probability are in none.
        predicted: mean probability per bin, NaN where it is empty.
        observed: share of true triples per bin, NaN where it is empty.
        brier: mean of (probability − truth)²; 0 is perfect, 0.25 is what 0.5 for all would get.
    """

    counts: NDArray[np.int64]
    predicted: NDArray[np.float64]
    observed: NDArray[np.float64]
    brier: float

    @classmethod
    def of(cls, probabilities: NDArray[np.float64], truth: NDArray[np.bool_]) -> Reliability | None:
        """Sort into bins; None if there is no probability at all."""
        given = np.isfinite(probabilities)
        if not given.any():
            return None
        probabilities, truth = probabilities[given], truth[given]
        bins = np.minimum((probabilities * BINS).astype(np.int64), BINS - 1)
        counts = np.bincount(bins, minlength=BINS)
        with np.errstate(invalid="ignore"):
            predicted = np.bincount(bins, probabilities, BINS) / counts
            observed = np.bincount(bins, truth, BINS) / counts
        return cls(counts, predicted, observed, float(np.mean((probabilities - truth) ** 2)))

    @property
    def expected_error(self) -> float:
        """The mean distance between probability and share over the bins, weighted by their size."""
        gaps = np.nan_to_num(np.abs(self.predicted - self.observed))
        return float((gaps * self.counts).sum() / self.counts.sum())

    def to_dict(self) -> dict[str, Any]:
        """For JSON; empty bins are left out."""
        rows = zip(self.counts, self.predicted, self.observed, strict=True)
        bins = [
            {"count": int(count), "predicted": float(predicted), "observed": float(observed)}
            for count, predicted, observed in rows
            if count
        ]
        return {"brier": self.brier, "expected_error": self.expected_error, "bins": bins}
