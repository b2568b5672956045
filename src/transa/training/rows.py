"""The rows that are trained, and what training keeps beside them: optimiser state, mean, best."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from transa.models.energy import ROWS_AT_A_TIME, Energy, Parameters
from transa.settings.recipe import Recipe
from transa.training.optimisers import fresh_state

# Of polynomial-decay averaging (Shamir & Zhang 2013): the mean looks back on about a ninth of the
# epochs so far, so that it forgets how training began, however long it goes on.
ETA = 8


class TrainedRows:
    """Rows of every table, changed in place.

    Attributes:
        energy: whose they are.
        tables: as the last step left them.
        state: what the optimiser remembers of them.
        mean: their running mean, which is what is validated and kept; the rows themselves where
            the recipe does not average.
        best: a copy of the mean at the best look at validation; empty before the first.
    """

    def __init__(self, energy: Energy, recipe: Recipe, tables: Parameters) -> None:
        self.energy, self._averages = energy, recipe.average
        self.tables = tables
        self.state = fresh_state(tables, recipe.optimiser)
        self.mean = _copy(tables) if recipe.average else tables
        self.best: Parameters = {}

    def enter_mean(self, epoch: int) -> None:
        """Let the rows as they are after this epoch (counted from 1) enter their mean."""
        if self._averages:
            blend(self.mean, self.tables, epoch)
            self.energy.settle(self.mean)

    def keep_as_best(self) -> None:
        """Let the mean as it is be the best so far."""
        if not self.best:
            self.best = _copy(self.mean)
            return
        for name, table in self.mean.items():
            self.best[name][...] = table

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """What a checkpoint keeps."""
        groups = {
            "parameters": self.tables,
            "state": self.state,
            "mean": self.mean if self._averages else {},
            "best": self.best,
        }
        return {
            f"{group}/{name}": a for group, named in groups.items() for name, a in named.items()
        }

    def restore(self, arrays: Mapping[str, NDArray[np.float32]]) -> None:
        """Go back to what a checkpoint kept."""
        if "best/entity" in arrays:
            self.keep_as_best()
        for name, array in self.arrays().items():
            array[...] = arrays[name]


def blend(mean: Parameters, tables: Parameters, epoch: int) -> None:
    """Let the tables as they are after this epoch (counted from 1) enter their mean, in place.

    A step moves a vector for one triple, so that at any moment the vectors are a noisy copy of what
    the whole graph asks for. Their mean over the last epochs is less noisy.
    """
    weight = (ETA + 1) / (epoch + ETA)
    for name, table in tables.items():
        for first in range(0, len(table), ROWS_AT_A_TIME):
            rows = slice(first, first + ROWS_AT_A_TIME)
            mean[name][rows] *= 1 - weight
            mean[name][rows] += weight * table[rows]


def _copy(tables: Parameters) -> Parameters:
    return {name: table.copy() for name, table in tables.items()}
