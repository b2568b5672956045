"""What ranks come to: mean rank, mean reciprocal rank, hits at k."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transa.graph import Triples
from transa.models import FittedModel
from transa.ranking.ranks import Progress, rank


@dataclass(frozen=True)
class Metrics:
    """Summary of `count` ranks.

    Attributes:
        count: how many ranks; a triple has two.
        mr: mean rank; 1 is perfect. A few very bad ranks rule it.
        mrr: mean of 1 / rank; 1 is perfect. The first few ranks rule it.
        hits_at_1: the share of ranks that are at most 1;
        hits_at_3: at most 3;
        hits_at_10: at most 10.
    """

    count: int
    mr: float
    mrr: float
    hits_at_1: float
    hits_at_3: float
    hits_at_10: float

    @classmethod
    def of(cls, ranks: NDArray[np.float64]) -> Metrics:
        """Summarise ranks, an array of any shape that is not empty."""
        return cls(
            count=ranks.size,
            mr=float(np.mean(ranks)),
            mrr=float(np.mean(1.0 / ranks)),
            hits_at_1=float(np.mean(ranks <= 1)),
            hits_at_3=float(np.mean(ranks <= 3)),
            hits_at_10=float(np.mean(ranks <= 10)),
        )

    def to_dict(self) -> dict[str, float]:
        """For JSON."""
        return {
            "count": self.count,
            "mr": self.mr,
            "mrr": self.mrr,
            "hits@1": self.hits_at_1,
            "hits@3": self.hits_at_3,
            "hits@10": self.hits_at_10,
        }


def quick_metrics(
    model: FittedModel, triples: Triples, *, threads: int = 0, progress: Progress | None = None
) -> Metrics:
    """Filtered metrics of both sides together, ties realistic: a look at a model in training."""
    return Metrics.of(rank(model, triples, threads=threads, progress=progress).filtered.ranks())
