"""M_ent in the reading `active`: entities drawn at random against the farthest positive.

`start` and `stop` bound the anchors of a call, so that threads can share the work.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from transa.kernels.distances import distance_of_rows
from transa.kernels.jit import inline, lean_kernel, piece, place
from transa.kernels.margins.readings import Neighbourhoods, has_group
from transa.kernels.memory import apart
from transa.kernels.random import below
from transa.kernels.training.sampling import HOPELESS

# Anchors that share their draws: each has as many as it asks for, and the rows drawn stay in the
# nearest cache. Drawing for every anchor by itself took half of the time of all margins.
_SHARING = 64
# Slots that are looked through at once for those drawn.
_TOGETHER = 256
# Draws for a group before one that is no positive is counted out.
_TRIES = 256


class Draws(NamedTuple):
    """The entities drawn for some anchors: room for one thread.

    Attributes:
        entity: who is drawn.
        away: for each of those anchors, how far each of these is from it.
    """

    entity: np.ndarray
    away: np.ndarray


def room_for_draws(rounds: int, dtype: np.dtype) -> Draws:
    """Fresh room for `rounds` draws."""
    return Draws(
        entity=apart(rounds, np.int32),
        away=apart((_SHARING, rounds), dtype),
    )


@inline
def first_slot(around: Neighbourhoods, anchor: int, wanted: int) -> int:
    """The first slot of an anchor whose neighbour is `wanted` or comes after it."""
    start, stop = around.slot_ptr[anchor], around.slot_ptr[anchor + 1]
    while start < stop:
        middle = (start + stop) >> 1
        if around.neighbour[middle] < wanted:
            start = middle + 1
        else:
            stop = middle
    return start


@inline
def mean_gap(
    around: Neighbourhoods, e: int, radius: np.ndarray, draws: Draws, at: int, rounds: int
) -> float:
    """M_ent of e, the anchor in place `at`, as if none of those drawn were a neighbour of it."""
    start, stop = around.group_ptr[e], around.group_ptr[e + 1]
    total = radius.dtype.type(0)
    for g in range(place(start), place(stop)):
        for j in range(rounds):
            total += abs(draws.away[at, j] - radius[g])
    return total / max((stop - start) * rounds, 1)


@inline
def is_positive(around: Neighbourhoods, e: int, g: int, entity: int) -> bool:
    """Whether an entity is among the positives of a group of e."""
    slot = first_slot(around, e, entity)
    if slot == around.slot_ptr[e + 1] or around.neighbour[slot] != entity:
        return False
    return has_group(around, slot, g)


@inline
def leave_out_positives(
    rows: np.ndarray,
    around: Neighbourhoods,
    radius: np.ndarray,
    norm: int,
    dim: int,
    state: np.ndarray,
    draws: Draws,
    start: int,
    stop: int,
    out: np.ndarray,
) -> None:
    """Put M_ent right of anchors start..stop-1: groups leave out those drawn who are positives."""
    # All slots are looked at, many at once: to search those of each drawn misses the cache.
    for some in range(around.slot_ptr[start], around.slot_ptr[stop], _TOGETHER):
        end, found = min(some + _TOGETHER, around.slot_ptr[stop]), False
        for j in range(draws.entity.shape[0]):
            entity = draws.entity[j]
            for slot in range(place(some), place(end)):
                found |= around.neighbour[slot] == entity
        if found:
            put_right(rows, around, radius, norm, dim, state, draws, start, some, end, out)


@piece
def put_right(
    rows: np.ndarray,
    around: Neighbourhoods,
    radius: np.ndarray,
    norm: int,
    dim: int,
    state: np.ndarray,
    draws: Draws,
    start: int,
    some: int,
    end: int,
    out: np.ndarray,
) -> None:
    """Leave out those drawn in the slots some..end-1, of anchors from `start` on."""
    for slot in range(some, end):
        found = False
        for j in range(draws.entity.shape[0]):
            found |= around.neighbour[slot] == draws.entity[j]
        if not found:
            continue
        e = around.anchor[slot]
        n_groups = around.group_ptr[e + 1] - around.group_ptr[e]
        for i in range(around.member_ptr[slot], around.member_ptr[slot + 1]):
            g = around.member[i]
            before, after, count = gaps_outside(around, slot, g, radius, draws, e - start)
            if count == 0:
                after = gap_of_another(rows, around, e, g, radius, norm, dim, state)
            out[e] += (after - before) / n_groups


@inline
def gaps_outside(
    around: Neighbourhoods, slot: int, g: int, radius: np.ndarray, draws: Draws, at: int
) -> tuple[float, float, int]:
    """The mean gap of group g to all drawn, to those outside P_r, and how many these are.

    Where several drawn are positives of g, the first of their slots sees to all: for the others
    nothing changes.
    """
    e, rounds = around.anchor[slot], draws.entity.shape[0]
    inside, outside, count = 0.0, 0.0, 0
    for j in range(rounds):
        gap = abs(draws.away[at, j] - radius[g])
        if not is_positive(around, e, g, draws.entity[j]):
            outside += gap
            count += 1
        elif draws.entity[j] < around.neighbour[slot]:
            return 0.0, 0.0, rounds
        else:
            inside += gap
    return (inside + outside) / rounds, outside / max(count, 1), count


@piece
def gap_of_another(
    rows: np.ndarray,
    around: Neighbourhoods,
    e: int,
    g: int,
    radius: np.ndarray,
    norm: int,
    dim: int,
    state: np.ndarray,
) -> float:
    """The gap to an entity outside P_r that is drawn anew; 0 where there is none."""
    entity = draw_no_positive(around, e, g, rows.shape[0], state)
    return abs(distance_of_rows(rows, e, entity, norm, dim) - radius[g]) if entity >= 0 else 0.0


@piece
def draw_no_positive(around: Neighbourhoods, e: int, g: int, n: int, state: np.ndarray) -> int:
    """A random entity outside P_r, the group g of e; -1 if there is none. See `draw_among`."""
    first, stop = around.positive_ptr[g], around.positive_ptr[g + 1]
    free = n - (stop - first)
    if free == 0:
        return -1
    if free * HOPELESS >= n:
        for _ in range(_TRIES):
            entity = below(state, n)
            if not is_positive(around, e, g, entity):
                return entity
    entity = below(state, free)
    start = first
    while start < stop:
        middle = (start + stop) >> 1
        if around.neighbour[around.positive[middle]] - (middle - first) <= entity:
            start = middle + 1
        else:
            stop = middle
    return entity + (start - first)


@cache
def active_entity_margins_for(dim: int, norm: int, rounds: int) -> Callable[..., None]:
    """`active_entity_margins`, compiled for vectors of this length and for so many draws."""

    @lean_kernel
    def active_entity_margins(
        rows: np.ndarray,
        out: Neighbourhoods,
        into: Neighbourhoods,
        out_radius: np.ndarray,
        into_radius: np.ndarray,
        state: np.ndarray,
        draws: Draws,
        start: int,
        stop: int,
        out_margins: np.ndarray,
        into_margins: np.ndarray,
    ) -> None:
        """M_ent of anchors start..stop-1: the mean of |‖h − t′‖ − radius|, t′ drawn outside P_r."""
        for first in range(start, stop, _SHARING):
            last = min(first + _SHARING, stop)
            for j in range(rounds):
                draws.entity[j] = below(state, rows.shape[0])
            # Two loops: the second mispredicts branches, which would hold up the rows of the first.
            for e in range(first, last):
                for j in range(rounds):
                    drawn = draws.entity[j]
                    draws.away[e - first, j] = distance_of_rows(rows, e, drawn, norm, dim)
            for e in range(first, last):
                out_margins[e] = mean_gap(out, e, out_radius, draws, e - first, rounds)
                into_margins[e] = mean_gap(into, e, into_radius, draws, e - first, rounds)
            for around, radius, margins in (
                (out, out_radius, out_margins),
                (into, into_radius, into_margins),
            ):
                leave_out_positives(
                    rows, around, radius, norm, dim, state, draws, first, last, margins
                )

    return active_entity_margins
