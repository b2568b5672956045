"""What margins are computed on: neighbourhoods both ways, their pairs, and room for the work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from transa.graph import Triples
from transa.graph.neighbourhoods import neighbourhoods
from transa.kernels.margins.readings import ByLength, Neighbourhoods
from transa.kernels.threads import over_spans

Floats = NDArray[np.floating]
Ids = NDArray[np.int32]
# In neighbours.
_COST_OF_AN_ANCHOR = 20


class Pairs(NamedTuple):
    """Pairs of entities whose distance is wanted."""

    one: Ids
    other: Ids


class Side(NamedTuple):
    """The neighbourhoods round heads, or round tails.

    What is computed on the way to margins is kept, since fresh memory costs as much as using it:
    one computation at a time.

    Attributes:
        around: the neighbourhoods.
        pair_of_slot: which pair of neighbours each slot is.
        pair_of_positive: the same of each positive.
        radii: room for the radius of each group's internal sphere.
        m_ent: room for each entity's margin.
        order: an anchor's groups by the length of their relations.
    """

    around: Neighbourhoods
    pair_of_slot: Ids
    pair_of_positive: Ids
    radii: Floats
    m_ent: Floats
    order: ByLength


@dataclass(frozen=True, eq=False)
class MarginGraph:
    """The neighbourhoods that margins are computed on, made once for a set of triples.

    Attributes:
        sides: anchored at heads, and at tails.
        pairs: every distinct pair of neighbours, whichever is the head; sorted.
        distances: room for that of each pair.
        most_neighbours: that any anchor has, on either side.
        most_groups: the same of groups.
        cost: what the anchors before each take, in neighbours.
    """

    sides: tuple[Side, Side]
    pairs: Pairs
    distances: Floats
    most_neighbours: int
    most_groups: int
    cost: NDArray[np.int64]

    @classmethod
    def of(cls, triples: Triples, n_entities: int, dtype: DTypeLike = np.float32) -> MarginGraph:
        """The neighbourhoods of triples, in both directions, for vectors of that type."""
        out = neighbourhoods(triples, n_entities, "head")
        into = neighbourhoods(triples, n_entities, "tail")
        # Every slot anchored at a tail is one anchored at a head, seen from its other end.
        pairs = np.unique(_keys(out))
        # Hubs have many neighbours: neither counts of anchors nor of neighbours share fairly.
        cost = out.slot_ptr.astype(np.int64) + into.slot_ptr
        cost += _COST_OF_AN_ANCHOR * np.arange(len(cost))
        return cls(
            (_side(out, pairs, dtype), _side(into, pairs, dtype)),
            Pairs((pairs >> 32).astype(np.int32), (pairs & 0xFFFFFFFF).astype(np.int32)),
            np.empty(len(pairs), dtype),
            most_neighbours=_longest(out.slot_ptr, into.slot_ptr),
            most_groups=_longest(out.group_ptr, into.group_ptr),
            cost=cost,
        )

    @property
    def n_entities(self) -> int:
        """How many entities there are, neighbours or not."""
        return len(self.cost) - 1

    def over_anchors(self, work: Callable[[int, int, int], None], threads: int) -> None:
        """Call ``work(span, start, stop)`` for spans of anchors that are about as much work."""
        shares = self.cost[-1] * np.arange(threads + 1) // threads
        bounds = np.searchsorted(self.cost, shares)
        bounds[0], bounds[-1] = 0, len(self.cost) - 1
        over_spans(
            lambda span, _start, _stop: work(span, int(bounds[span]), int(bounds[span + 1])),
            threads,
            threads,
        )


def _side(around: Neighbourhoods, pairs: NDArray[np.int64], dtype: DTypeLike) -> Side:
    pair_of_slot = np.searchsorted(pairs, _keys(around)).astype(np.int32)
    relations = around.group_relation
    return Side(
        around,
        pair_of_slot,
        pair_of_slot[around.positive],
        radii=np.empty(len(relations), dtype),
        m_ent=np.zeros(len(around.slot_ptr) - 1, dtype),
        order=ByLength(
            np.arange(len(relations), dtype=np.int32), np.append(relations, np.int32(0))
        ),
    )


def _keys(around: Neighbourhoods) -> NDArray[np.int64]:
    """A number for each slot's pair, the same whichever of the two is the anchor."""
    ends = around.anchor, around.neighbour
    keys: NDArray[np.int64] = np.minimum(*ends).astype(np.int64) << 32 | np.maximum(*ends)
    return keys


def _longest(*pointers: NDArray[np.integer]) -> int:
    """The length of the longest of all compressed rows."""
    return max(int(np.diff(each).max(initial=0)) for each in pointers)
