"""How good the vectors are while they are being trained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from transa.errors import ConfigError
from transa.graph import Graph, Triples
from transa.models.energy import Energy, Parameters
from transa.models.fitted import FittedModel
from transa.settings.recipe import Recipe
from transa.training.interrupt import StopAsked, StopRequestedError

Measure: TypeAlias = Callable[[Parameters, StopAsked], float]
"""Gives up with `StopRequestedError` where it is told to stop."""

# Triples of the validation split that are ranked: enough for three digits, whatever the graph.
SAMPLE = 5000
# Looks before the first regular one: a small graph is fitted, and overfitted, within a few epochs.
EARLY = (1, 2, 5)
# Labelled triples that can be halved, a true and a false one in each half.
_FEWEST = 4


@dataclass(frozen=True, eq=False)
class Validator:
    """When to look at the validation split, and what to measure.

    Attributes:
        recipe: says when.
        measure: the metric that stopping goes by.
    """

    recipe: Recipe
    measure: Measure

    @classmethod
    def of(cls, energy: Energy, recipe: Recipe, graph: Graph, threads: int) -> Validator | None:
        """A validator, or None where there is nothing to look at or no wish to."""
        if len(graph.valid) == 0 or recipe.validate_every == 0:
            return None
        if recipe.stop_on == "accuracy":
            return cls(recipe, _accuracy(energy, graph))
        return cls(recipe, _rank_metric(energy, recipe, graph, threads))

    def due(self, epoch: int) -> bool:
        """Whether to look after this epoch (counted from 1); the last one is always looked at."""
        every = self.recipe.validate_every
        early = epoch < every and epoch in EARLY
        return early or epoch % every == 0 or epoch == self.recipe.epochs


def _rank_metric(energy: Energy, recipe: Recipe, graph: Graph, threads: int) -> Measure:
    """Ranks of a fixed sample of the validation split among all entities, filtered."""
    from transa.ranking import quick_metrics

    sample = sample_of(recipe, graph)

    def measure(parameters: Parameters, stop: StopAsked) -> float:
        def progress(_done: int, _of: int) -> None:
            if stop():
                raise StopRequestedError

        model = FittedModel(energy, parameters, graph)
        metrics = quick_metrics(model, sample, threads=threads, progress=progress)
        return metrics.mrr if recipe.stop_on == "mrr" else metrics.mr

    return measure


def sample_of(recipe: Recipe, graph: Graph) -> Triples:
    """The validation triples that are ranked: the same at every look."""
    rng = np.random.default_rng((recipe.seed, SAMPLE))
    size = min(SAMPLE, len(graph.valid))
    return graph.valid[np.sort(rng.choice(len(graph.valid), size, replace=False))]


def _accuracy(energy: Energy, graph: Graph) -> Measure:
    """How often labelled validation triples of entities that train has are judged rightly."""
    from transa.classification.labelled import labelled_split
    from transa.classification.thresholds.per_relation import cross_fitted_accuracy

    labelled = labelled_split(graph, "valid")
    seen = labelled.numbered.seen(graph)
    learnt = seen[labelled.triples[:, 0]] & seen[labelled.triples[:, 2]]
    triples, truth = labelled.triples[learnt], labelled.truth[learnt]
    half = _half(learnt)
    if len(triples) < _FEWEST:
        raise ConfigError(
            f"stop_on accuracy needs {_FEWEST} labelled validation triples of entities that train "
            f"has, and there are {len(triples)}; choose mrr"
        )

    def measure(parameters: Parameters, _: StopAsked) -> float:
        found = FittedModel(energy, parameters, graph).energies(*triples.T)
        return cross_fitted_accuracy(found, triples[:, 1], truth, half, graph.n_relations)

    return measure


def _half(learnt: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of the triples that were learnt are in the first half.

    A true triple and its false one stand side by side, and go into the same half.
    """
    half: NDArray[np.bool_] = (np.arange(len(learnt)) // 2 % 2 == 0)[learnt]
    if min(np.count_nonzero(half), np.count_nonzero(~half)) < _FEWEST // 2:
        half = np.arange(len(half)) // 2 % 2 == 0
    return half
