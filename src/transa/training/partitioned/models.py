"""Whole models on disk: the mean of the rows so far, and the best of those looked at.

Three files take turns. An epoch writes the one that is neither the mean before it nor the best, so
that a kill finds both as they were.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from transa.files.arrays import map_arrays
from transa.models.energy import Energy, Parameters
from transa.prepared.layout import Layout
from transa.settings.recipe import Recipe
from transa.training.partitioned.files import MODELS, RunFiles
from transa.training.rows import blend

NONE = -1


class Models:
    """What is kept of the rows as training goes on.

    Attributes:
        energy: whose they are.
        current: the number of the file with the mean after the last epoch.
        kept: the number of the file with the best so far.
    """

    def __init__(self, energy: Energy, recipe: Recipe, layout: Layout, files: RunFiles) -> None:
        self.energy, self._averages = energy, recipe.average
        self._layout, self._files = layout, files
        self.current = self.kept = NONE

    def reserve(self, n_entities: int, relations: Parameters) -> None:
        """Take the room for all three."""
        rng, shapes = np.random.default_rng(0), {}
        for name, of in self.energy.tables.items():
            rows = n_entities if of == "entity" else len(relations[name])
            shapes[name] = (rows, *self.energy.draw(name, 0, rng).shape[1:])
        self._files.begin(shapes)

    @property
    def mean(self) -> Parameters:
        """The mean after the last epoch."""
        return self._map(max(self.current, 0))

    @property
    def best(self) -> Parameters:
        """The best so far."""
        return self._map(max(self.kept, 0))

    def keep_as_best(self) -> None:
        """Let the mean as it is be the best so far."""
        self.kept = self.current

    def enter(self, partition: int, rows: Mapping[str, NDArray[np.float32]], epoch: int) -> None:
        """Let a partition's rows as they are after this epoch (from 1) enter their mean."""
        first = partition * self._layout.rows
        inside = slice(first, first + self._layout.size(partition))
        entities = [name for name, of in self.energy.tables.items() if of == "entity"]
        self._enter({name: rows[name] for name in entities}, inside, epoch)

    def finish(self, relations: Parameters, epoch: int) -> None:
        """Let the relations enter their mean, which makes it whole."""
        self._enter(relations, slice(None), epoch)
        number = self._in_work
        if self._averages:
            self.energy.settle(self._map(number, write=True))
        self.current = number

    @property
    def _in_work(self) -> int:
        return next(n for n in range(MODELS) if n not in (self.current, self.kept))

    def _enter(self, tables: Parameters, inside: slice, epoch: int) -> None:
        new = {n: t[inside] for n, t in self._map(self._in_work, write=True).items() if n in tables}
        if self._averages and self.current != NONE:
            before = self._map(self.current)
            for name, table in new.items():
                table[...] = before[name][inside]
            blend(new, tables, epoch)
            return
        for name, table in new.items():
            table[...] = tables[name]

    def _map(self, number: int, *, write: bool = False) -> Parameters:
        return map_arrays(self._files.model(number), write=write)
