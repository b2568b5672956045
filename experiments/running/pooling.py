"""Margins that pool directions: an ablation, which did not earn a setting of its own.

The paper's nr_h counts the relations "with h as one end". Read so, an entity has one
neighbourhood: whoever it has a triple with, as head or as tail. Elsewhere in this library the two
directions are kept apart.
"""

from __future__ import annotations

import numpy as np

from transa.graph import Triples
from transa.models import Energy
from transa.settings.recipe import Recipe
from transa.training.margins import Margins


class PooledMargins(Margins):
    """Margins of a graph in which every triple also stands the other way round."""

    def __init__(self, energy: Energy, recipe: Recipe, triples: Triples, n_entities: int) -> None:
        mirrored = np.ascontiguousarray(triples[:, ::-1])
        super().__init__(energy, recipe, np.concatenate([triples, mirrored]), n_entities)
        n = len(triples)
        both = self.current
        self.current = both._replace(
            head_group=both.head_group[:n].copy(), tail_group=both.tail_group[:n].copy()
        )

    def mean(self) -> float:
        """The mean over triples and sides."""
        # The counts are of twice as many triples, half of which stand the other way round.
        return super().mean() / 2
