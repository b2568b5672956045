"""What is asked in training: either end of every triple, or its tail and that of its inverse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from transa.errors import ConfigError
from transa.graph import Graph, Triples
from transa.graph.graph import inverses_of
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
    check_sides(recipe)
    inverses = inverses_of(graph.train, graph.n_relations)
    return Asked(np.concatenate([graph.train, inverses]), 1.0)


def check_sides(recipe: Recipe) -> None:
    """Refuse settings of the sides of triples where relations have inverses.

    Raises:
        ConfigError: for the first of them.
    """
    for name in ("sampling", "tail_share"):
        if getattr(recipe, name) != getattr(Recipe, name):
            raise ConfigError(
                "with reciprocal relations every triple is asked for its tail and its head, so "
                f"that {name} would change nothing; leave it at {getattr(Recipe, name)}"
            )
