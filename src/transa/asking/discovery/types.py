"""Which entities may stand in the places of a relation.

'seen' are those that a known fact of the relation has in that place. 'alike' are also those that
stand in another place half of whose entities are seen in this one: who has a profession may have a
birthplace, since most who have a profession have one. 'any' are all that training has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from transa.asking.reasons.facts import Ids, anchors_of, spread
from transa.graph import Graph
from transa.graph.known import Side
from transa.graph.once import once

Types: TypeAlias = Literal["seen", "alike", "any"]
TYPES: tuple[Types, ...] = get_args(Types)

# The share of a place's entities that makes all of them fit for another, and the fewest it has.
_HALF, _FEWEST = 0.5, 5


@dataclass(frozen=True, eq=False)
class Places:
    """The places of all relations: heads are 0 .. n_relations − 1, then come the tails."""

    graph: Graph
    types: Types

    def fit(self, relation: int, side: Side) -> Ids:
        """The entities that may stand there, ascending; of the others nothing was learnt."""
        seen = self.graph.seen
        if self.types == "any":
            return np.flatnonzero(seen)
        place = relation + (self.graph.n_relations if side == "tail" else 0)
        fit = self._members(place)
        if self.types == "alike":
            fit = self._with_alike(place, fit)
        return fit[seen[fit]]

    def _members(self, place: int) -> Ids:
        tail, relation = divmod(place, self.graph.n_relations)
        index = self.graph.index
        return anchors_of(index.heads if tail else index.tails, relation, self.graph.n_entities)

    def _with_alike(self, place: int, members: Ids) -> Ids:
        first, places = self._places_of
        where, _ = spread(first[members], first[members + 1])
        shared = np.bincount(places[where], minlength=2 * self.graph.n_relations)
        sizes = self._sizes
        alike = (shared >= _HALF * sizes) & (sizes >= _FEWEST)
        alike[place] = True
        every = [self._members(int(each)) for each in np.flatnonzero(alike)]
        return np.unique(np.concatenate(every))

    @once
    def _places_of(self) -> tuple[Ids, Ids]:
        """In compressed rows, the places in which each entity stands."""
        index, n = self.graph.index, self.graph.n_entities
        keys = np.concatenate([index.tails.keys, index.heads.keys + self.graph.n_relations * n])
        place, entity = np.divmod(keys, n)
        order = np.argsort(entity, kind="stable")
        first = np.searchsorted(entity[order], np.arange(n + 1))
        return first, place[order]

    @once
    def _sizes(self) -> Ids:
        sizes: Ids = np.bincount(self._places_of[1], minlength=2 * self.graph.n_relations)
        return sizes
