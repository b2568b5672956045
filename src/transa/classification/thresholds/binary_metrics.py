"""How good yes-or-no judgements are, and the scores behind them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.floating]
Truth = NDArray[np.bool_]

# Drawn for an interval, and the share of them that it holds.
RESAMPLES = 10_000
CONFIDENCE = 0.95


@dataclass(frozen=True)
class BinaryMetrics:
    """Summary of `count` judgements, of which `positives` were of true things.

    A figure that is not defined is None: precision if nothing was judged true, recall and average
    precision if nothing is true, ROC-AUC if all labels are the same.

    Attributes:
        count: how many judgements.
        positives: how many of them were of true things.
        accuracy: the share that is right.
        interval: within which the accuracy lies in 95 % of bootstrap samples.
        precision: of those held true, the share that is.
        recall: of the true ones, the share held true.
        f1: the harmonic mean of these two.
        roc_auc: the chance that a true one scores higher than a false one.
        average_precision: precision averaged over recall, as the bar is lowered from the top score.
    """

    count: int
    positives: int
    accuracy: float
    interval: tuple[float, float]
    precision: float | None
    recall: float | None
    f1: float | None
    roc_auc: float | None
    average_precision: float | None

    @classmethod
    def of(cls, truth: Truth, verdicts: Truth, scores: Scores, seed: int = 0) -> BinaryMetrics:
        """Summarise judgements, at least one; `seed` is of the bootstrap.

        Scores are higher for what is more plausible, and may be infinite.
        """
        hits = int(np.count_nonzero(truth & verdicts))
        positives, said = int(np.count_nonzero(truth)), int(np.count_nonzero(verdicts))
        right = int(np.count_nonzero(truth == verdicts))
        return cls(
            count=len(truth),
            positives=positives,
            accuracy=right / len(truth),
            interval=bootstrap_interval(right, len(truth), seed),
            precision=hits / said if said else None,
            recall=hits / positives if positives else None,
            f1=2 * hits / (said + positives) if said and positives else None,
            roc_auc=roc_auc(truth, scores),
            average_precision=average_precision(truth, scores),
        )


def bootstrap_interval(right: int, count: int, seed: int) -> tuple[float, float]:
    """The percentile interval of an accuracy.

    To draw `count` judgements with replacement and count the right ones is to draw from a binomial
    distribution, which is what is done.
    """
    drawn = np.random.default_rng(seed).binomial(count, right / count, RESAMPLES) / count
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return float(low), float(high)


def roc_auc(truth: Truth, scores: Scores) -> float | None:
    """The area under the ROC curve; a tie counts half. None if all labels are the same."""
    hits, misses = _above_each_bar(truth, scores)
    if hits[-1] == 0 or misses[-1] == 0:
        return None
    # Trapezia under the curve through the points (misses, hits).
    area = (np.diff(misses, prepend=0) * (hits + np.append(0, hits[:-1]))).sum() / 2
    return float(area / (hits[-1] * misses[-1]))


def average_precision(truth: Truth, scores: Scores) -> float | None:
    """Σ (recallₙ − recallₙ₋₁) · precisionₙ over the distinct scores; None if nothing is true."""
    hits, misses = _above_each_bar(truth, scores)
    if hits[-1] == 0:
        return None
    gained = np.diff(hits, prepend=0)
    return float((gained * hits / (hits + misses)).sum() / hits[-1])


def _above_each_bar(truth: Truth, scores: Scores) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many true and how many false ones reach each distinct score, from the highest down."""
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    last_of_ties = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(order) - 1)
    hits = np.cumsum(truth[order])[last_of_ties]
    return hits, last_of_ties + 1 - hits
