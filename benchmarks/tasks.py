"""The same work for all contestants, said once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from transa.graph import Graph, Triples
from transa.models import FittedModel, Parameters, TransEEnergy

Norm = Literal["l1", "l2"]

MARGIN = 1.0
# Of a triple by itself, and of the mean over a batch: each learns, and neither diverges.
RATE = 0.01
BATCH_RATES: dict[Norm, float] = {"l1": 4.0, "l2": 20.0}
GRAPHS = {"fb15k": "FB15K", "wn18": "WN18"}


@dataclass(frozen=True, eq=False)
class TrainingTask:
    """TransE with the pairwise hinge, SGD and uniform corruptions; no constraint on the vectors."""

    graph: Graph
    norm: Norm
    dim: int
    negatives: int
    threads: int

    def __str__(self) -> str:
        many = "negative" if self.negatives == 1 else "negatives"
        return (
            f"{GRAPHS.get(self.graph.name, self.graph.name)}, {self.norm.upper()}, d {self.dim}, "
            f"{self.negatives} {many}"
        )


@dataclass(frozen=True)
class TrainingPass:
    """A few epochs from fresh vectors: positives a second, and the loss of each epoch."""

    rate: float
    losses: tuple[float, ...]

    @property
    def learnt(self) -> bool:
        """Whether the loss fell; if not, the time means nothing."""
        return self.losses[-1] < self.losses[0]


@dataclass(frozen=True, eq=False)
class RankingTask:
    """The filtered ranks of the test split among all entities, both sides, for given vectors."""

    graph: Graph
    norm: Norm
    parameters: Parameters
    threads: int

    def __str__(self) -> str:
        dim = self.parameters["entity"].shape[1]
        name = GRAPHS.get(self.graph.name, self.graph.name)
        return f"{name}, {self.norm.upper()}, d {dim}"

    @property
    def model(self) -> FittedModel:
        """The model; its graph is new each time, so that to index it is part of the work."""
        energy = TransEEnergy(self.parameters["entity"].shape[1], self.norm)
        return FittedModel(energy, self.parameters, replace(self.graph))

    def sample(self, size: int) -> Triples:
        """Test triples, drawn once and for all."""
        rng = np.random.default_rng(0)
        return self.graph.test[rng.choice(len(self.graph.test), size, replace=False)]


Ranker = Callable[[Triples], object]
"""Ranks these triples; what comes out is for its contestant's own check."""


def rounded_vectors(graph: Graph, dim: int) -> Parameters:
    """Vectors in steps of 1/64, so that sums have the same bits in whatever order they are made."""
    drawn = TransEEnergy(dim).initialise(
        graph.n_entities, graph.n_relations, np.random.default_rng(0)
    )
    return {name: np.round(table * 64) / np.float32(64) for name, table in drawn.items()}
