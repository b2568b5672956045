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
# In neighbours.
_COST_OF_AN_ANCHOR = 20


class Room(NamedTuple):
    """What is computed on the way to margins: kept, since fresh memory costs as much as using it.

    Attributes:
        distances: per pair of neighbours.
        radii: per group, anchored at heads and at tails.
        m_ent: per entity, as a head and as a tail.
        orders: both ways, an anchor's groups by the length of their relations.
    """

    distances: Floats
    radii: tuple[Floats, Floats]
    m_ent: tuple[Floats, Floats]
    orders: tuple[ByLength, ByLength]


@dataclass(frozen=True, eq=False)
class MarginGraph:
    """The neighbourhoods that margins are computed on, made once for a set of triples.

    Attributes:
        out: anchored at heads.
        into: anchored at tails.
        one: of every distinct pair of neighbours, whichever is the head; pairs are sorted.
        other: of every pair.
        pair_of_slot: for each slot of `out` and of `into`, which pair it is.
        pair_of_positive: the same for their positives.
        most_neighbours: that any anchor has, on either side.
        most_groups: the same of groups.
        cost: what the anchors before each take, in neighbours.
        room: for one computation at a time.
    """

    out: Neighbourhoods
    into: Neighbourhoods
    one: NDArray[np.int32]
    other: NDArray[np.int32]
    pair_of_slot: tuple[NDArray[np.int32], NDArray[np.int32]]
    pair_of_positive: tuple[NDArray[np.int32], NDArray[np.int32]]
    most_neighbours: int
    most_groups: int
    cost: NDArray[np.int64]
    room: Room

    @classmethod
    def of(cls, triples: Triples, n_entities: int, dtype: DTypeLike = np.float32) -> MarginGraph:
        """The neighbourhoods of triples, in both directions, for vectors of that type."""
        out = neighbourhoods(triples, n_entities, "head")
        into = neighbourhoods(triples, n_entities, "tail")
        one, other, pair_of_slot = _distinct_pairs(out, into)
        groups = len(out.group_relation), len(into.group_relation)
        # Hubs have many neighbours: neither counts of anchors nor of neighbours share fairly.
        cost = out.slot_ptr.astype(np.int64) + into.slot_ptr
        cost += _COST_OF_AN_ANCHOR * np.arange(len(cost))
        room = Room(
            distances=np.empty(len(one), dtype),
            radii=(np.empty(groups[0], dtype), np.empty(groups[1], dtype)),
            m_ent=(np.zeros(n_entities, dtype), np.zeros(n_entities, dtype)),
            orders=(_as_they_come(out), _as_they_come(into)),
        )
        pair_of_positive = (pair_of_slot[0][out.positive], pair_of_slot[1][into.positive])
        return cls(
            out,
            into,
            one,
            other,
            pair_of_slot,
            pair_of_positive,
            most_neighbours=_longest(out.slot_ptr, into.slot_ptr),
            most_groups=_longest(out.group_ptr, into.group_ptr),
            cost=cost,
            room=room,
        )

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


def _as_they_come(around: Neighbourhoods) -> ByLength:
    """The groups in no order of length yet."""
    relations = around.group_relation
    return ByLength(np.arange(len(relations), dtype=np.int32), np.append(relations, np.int32(0)))


def _longest(*pointers: NDArray[np.integer]) -> int:
    """The length of the longest of all compressed rows."""
    return max(int(np.diff(each).max(initial=0)) for each in pointers)


def _distinct_pairs(
    out: Neighbourhoods, into: Neighbourhoods
) -> tuple[NDArray[np.int32], NDArray[np.int32], tuple[NDArray[np.int32], NDArray[np.int32]]]:
    """The distinct pairs of neighbours, and which of them each slot is."""
    ends = [(around.anchor, around.neighbour) for around in (out, into)]
    keys = [np.minimum(*both).astype(np.int64) << 32 | np.maximum(*both) for both in ends]
    # Every slot anchored at a tail is one anchored at a head, seen from its other end.
    pairs = np.unique(keys[0])
    pair_of_out, pair_of_into = (np.searchsorted(pairs, key).astype(np.int32) for key in keys)
    one, other = (pairs >> 32).astype(np.int32), (pairs & 0xFFFFFFFF).astype(np.int32)
    return one, other, (pair_of_out, pair_of_into)
