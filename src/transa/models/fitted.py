"""A fitted model: an energy, its tables and the graph it learnt from, bound together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from transa.graph import Graph
from transa.graph.known import KnownIndex, Question
from transa.models.energy import Energy, Norm, Tables, check_tables, inverse_of
from transa.models.families import Translation
from transa.models.scoring import Ids, energies, energies_one_way


@dataclass(frozen=True, eq=False, repr=False)
class FittedModel:
    """What questions are put to, ranks and verdicts come from. Threads may share it.

    Invariants: immutable, the tables included; every table has a row for each entity or relation of
    the graph, in its order. A table is a view of memory that someone else keeps: of arrays, of a
    file, or of a block of a longer table, whose rows the graph then numbers from 0.

    Attributes:
        energy: f_r(h, t), lower is better.
        tables: its parameters, read-only.
        graph: vocabularies and splits.

    Example:
        >>> import numpy as np, transa
        >>> from transa.models import TransEEnergy
        >>> graph = transa.from_ids([[0, 0, 1], [1, 0, 2]])
        >>> vectors = {"entity": np.float32([[0], [1], [2]]), "relation": np.float32([[2]])}
        >>> FittedModel(TransEEnergy(1, "l1"), vectors, graph).energies(0, 0, [1, 2])
        array([1., 0.], dtype=float32)
    """

    energy: Energy
    tables: Tables
    graph: Graph

    def __post_init__(self) -> None:
        check_tables(self.energy, self.tables, self.graph.n_entities, self.graph.n_relations)
        views = {name: read_only(table) for name, table in self.tables.items()}
        object.__setattr__(self, "tables", MappingProxyType(views))

    def __repr__(self) -> str:
        return f"FittedModel({self.energy}, {self.graph})"

    @property
    def known(self) -> KnownIndex:
        """Which answers the graph has already; indexed once, when first needed."""
        return self.graph.index

    @cached_property
    def not_finite(self) -> str | None:
        """The name of a table that holds NaN or infinity, if one does; looked through once."""
        for name, table in self.tables.items():
            # No comparison with NaN holds, so that it would flatter; minimum and maximum show it.
            if not (np.isfinite(table.min()) and np.isfinite(table.max())):
                return name
        return None

    @property
    def norm(self) -> Norm:
        """The norm that distances between entities are measured in."""
        return self.energy.norm if isinstance(self.energy, Translation) else "l2"

    def energies(self, h: Ids, r: Ids, t: Ids) -> NDArray[np.float32]:
        """f_r(h, t) for ids that broadcast to one axis."""
        return energies(self.energy, self.tables, h, r, t)

    def energies_asked(self, gap: int, h: Ids, r: Ids, t: Ids) -> NDArray[np.float32]:
        """The same, of answers to questions whose gap is column 0, 1 or 2.

        Where relations have inverses, heads are asked for as their tails.
        """
        if gap == 1 or not self.energy.reciprocal:
            return self.energies(h, r, t)
        if gap == 0:
            h, r, t = t, inverse_of(self.energy, self.tables, np.asarray(r)), h
        return energies_one_way(self.energy, self.tables, h, r, t)

    def energies_of_answers(self, question: Question) -> NDArray[np.float32]:
        """The energies of all that could stand in the place left open."""
        gap = question.index(None)
        every = np.arange(self.graph.n_relations if gap == 1 else self.graph.n_entities)
        h, r, t = (every if id_ is None else id_ for id_ in question)
        return self.energies_asked(gap, h, r, t)


def read_only(table: NDArray[np.float32]) -> NDArray[np.float32]:
    """A view that cannot be written through."""
    view = table.view()
    view.setflags(write=False)
    return view
