"""Whole models of a run on a cluster: which files they are in, and all of them as one table."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from transa.cluster.files import SharedFiles
from transa.errors import StoreError
from transa.files.arrays import map_arrays, reserve_arrays
from transa.models.energy import Energy, Parameters
from transa.prepared.layout import Layout


@dataclass
class Names:
    """The files of a model: of each partition, and of the relations."""

    parts: dict[int, str] = field(default_factory=dict)
    relations: str | None = None

    def all(self) -> set[str]:
        """Every file of it."""
        return {*self.parts.values(), *filter(None, [self.relations])}


class ClusterModels:
    """What is kept of the rows as training goes on.

    Attributes:
        energy: whose they are.
        now: the mean after the last epoch.
        kept: the best so far.
    """

    def __init__(
        self, energy: Energy, layout: Layout, relations: Parameters, files: SharedFiles, work: Path
    ) -> None:
        self.energy, self.now, self.kept = energy, Names(), Names()
        self._layout, self._relations = layout, relations
        self._files, self._work = files, work

    @property
    def mean(self) -> Parameters:
        """The mean after the last epoch, in a file of this machine."""
        return self._assembled(self.now, "mean")

    @property
    def best(self) -> Parameters:
        """The best so far."""
        return self._assembled(self.kept, "best")

    def keep_as_best(self) -> None:
        """Let the mean as it is be the best so far: its files stay, nothing is copied."""
        self.kept = Names(dict(self.now.parts), self.now.relations)

    def relations_of(self, names: Names) -> Parameters:
        """Its tables that are not of entities."""
        if names.relations is None:
            return self._relations
        rows = self._files.read_rows(names.relations)
        return {name: rows[name] for name in self._relations}

    def _assembled(self, names: Names, called: str) -> Parameters:
        rng, shapes = np.random.default_rng(0), {}
        for name, of in self.energy.tables.items():
            n = self._layout.n_entities if of == "entity" else len(self._relations[name])
            shapes[name] = (n, *self.energy.draw(name, 0, rng).shape[1:])
        path = self._work / f"model-{called}"
        try:
            self._work.mkdir(parents=True, exist_ok=True)
            # What somebody has mapped stays as it is.
            path.unlink(missing_ok=True)
            reserve_arrays(path, shapes)
        except OSError as error:
            raise StoreError(f"{path}: cannot be written ({error.strerror or error})") from error
        tables = map_arrays(path, write=True)
        for name, table in self.relations_of(names).items():
            tables[name][...] = table
        for partition, file in names.parts.items():
            first, rows = partition * self._layout.rows, self._files.read_rows(file)
            for name, of in self.energy.tables.items():
                if of == "entity":
                    tables[name][first : first + len(rows[name])] = rows[name]
        return tables
