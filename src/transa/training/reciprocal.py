"""What is asked in training: either end of every triple, or its tail and that of its inverse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from transa.errors import ConfigError
from transa.graph import Graph, Triples
from transa.models.energy import Energy
from transa.settings.recipe import Recipe


@dataclass(frozen=True, eq=False)
class Asked:
    """Triples to train on, and how often their tail is what is corrupted."""

    triples: Triples
    tail_share: float


def questions_of(energy: Energy, recipe: Recipe, graph: Graph) -> Asked:
    """The training triples; where relations have inverses, each also as (t, r⁻¹, h)."""
    if not energy.reciprocal:
        return Asked(graph.train, recipe.tail_share)
    for name in ("sampling", "tail_share"):
        if getattr(recipe, name) != getattr(Recipe, name):
            raise ConfigError(
                "with reciprocal relations every triple is asked for its tail and its head, so "
                f"that {name} would change nothing; leave it at {getattr(Recipe, name)}"
            )
    h, r, t = graph.train.T
    inverses = np.stack([t, r + np.int32(graph.n_relations), h], axis=1)
    return Asked(np.concatenate([graph.train, inverses]), 1.0)
