"""How good the vectors are while they are being trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from transa.graph import Graph, Triples
from transa.models.energy import Energy, Parameters
from transa.training.recipe import Recipe

if TYPE_CHECKING:
    from transa.evaluation import KnownIndex

# Triples of the validation split that are ranked: enough for three digits, whatever the graph.
SAMPLE = 5000


@dataclass(frozen=True, eq=False)
class Validator:
    """Ranks a fixed sample of the validation split against all entities, filtered."""

    energy: Energy
    recipe: Recipe
    triples: Triples
    known: KnownIndex
    threads: int

    @classmethod
    def of(cls, energy: Energy, recipe: Recipe, graph: Graph, threads: int) -> Validator | None:
        """A validator, or None where there is nothing to look at or no wish to."""
        if len(graph.valid) == 0 or recipe.validate_every == 0:
            return None
        from transa.evaluation import KnownIndex

        rng = np.random.default_rng((recipe.seed, SAMPLE))
        size = min(SAMPLE, len(graph.valid))
        sample = graph.valid[np.sort(rng.choice(len(graph.valid), size, replace=False))]
        known = KnownIndex.of(graph.known, graph.n_entities, graph.n_relations)
        return cls(energy, recipe, sample, known, threads)

    def due(self, epoch: int) -> bool:
        """Whether to look after this epoch (counted from 1); the last one is always looked at."""
        return epoch % self.recipe.validate_every == 0 or epoch == self.recipe.epochs

    def measure(self, parameters: Parameters) -> float:
        """The filtered metric that stopping goes by."""
        from transa.evaluation import quick_metrics

        metrics = quick_metrics(
            self.energy, parameters, self.triples, known=self.known, threads=self.threads
        )
        return metrics.mrr if self.recipe.stop_on == "mrr" else metrics.mr
