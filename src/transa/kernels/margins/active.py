"""M_ent in the reading `active`: entities drawn at random against the farthest positive.

`start` and `stop` bound the anchors of a call, so that threads can share the work.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from transa.kernels.jit import inline, lean_kernel, piece, place
from transa.kernels.margins.readings import Neighbourhoods, has_group
from transa.kernels.random import below
from transa.kernels.training.sampling import HOPELESS

# Anchors that share their draws: each has as many as it asks for, and the rows drawn stay in the
# nearest cache. Drawing for every anchor by itself took half of the time of all margins.
_SHARING = 64
# Slots that are looked through at once for those drawn.
_TOGETHER = 256
# Draws for a group before one that is no positive is counted out.
_TRIES = 256


class Drawn(NamedTuple):
    """Whom the anchors of one side are compared with.

    Attributes:
        entity: (anchors, rounds), who is drawn.
        away: how far each is from the anchor.
        near: per anchor, whether any of these is a neighbour of it.
        anew: per group, where in `distances` that of one drawn anew is; -1 where none was.
        distances: all that were measured of those drawn.
    """

    entity: np.ndarray
    away: np.ndarray
    near: np.ndarray
    anew: np.ndarray
    distances: np.ndarray


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
    around: Neighbourhoods, e: int, radius: np.ndarray, away: np.ndarray, rounds: int
) -> float:
    """M_ent of e as if none of those drawn were a neighbour of it."""
    start, stop = around.group_ptr[e], around.group_ptr[e + 1]
    total = radius.dtype.type(0)
    for g in range(place(start), place(stop)):
        for j in range(rounds):
            total += abs(away[e, j] - radius[g])
    return total / max((stop - start) * rounds, 1)


@inline
def is_positive(around: Neighbourhoods, e: int, g: int, entity: int) -> bool:
    """Whether an entity is among the positives of a group of e."""
    slot = first_slot(around, e, entity)
    if slot == around.slot_ptr[e + 1] or around.neighbour[slot] != entity:
        return False
    return has_group(around, slot, g)


@inline
def look_for_neighbours(
    around: Neighbourhoods,
    entity: np.ndarray,
    n: int,
    state: np.ndarray,
    start: int,
    stop: int,
    near: np.ndarray,
    anew: np.ndarray,
) -> None:
    """Note which of the anchors start..stop-1 have neighbours among those drawn for them all."""
    for g in range(place(around.group_ptr[start]), place(around.group_ptr[stop])):
        anew[g] = -1
    for e in range(start, stop):
        near[e] = False
    # All slots are looked at, many at once: to search those of each drawn misses the cache.
    for some in range(around.slot_ptr[start], around.slot_ptr[stop], _TOGETHER):
        end, found = min(some + _TOGETHER, around.slot_ptr[stop]), False
        for j in range(entity.shape[1]):
            drawn = entity[start, j]
            for slot in range(place(some), place(end)):
                found |= around.neighbour[slot] == drawn
        if found:
            draw_anew(around, entity, n, state, some, end, near, anew)


@piece
def draw_anew(
    around: Neighbourhoods,
    entity: np.ndarray,
    n: int,
    state: np.ndarray,
    some: int,
    end: int,
    near: np.ndarray,
    anew: np.ndarray,
) -> None:
    """Draw for the groups of the slots some..end-1 of whom all that are drawn are positives."""
    for slot in range(some, end):
        e = around.anchor[slot]
        if not is_drawn(around, slot, entity):
            continue
        near[e] = True
        for i in range(around.member_ptr[slot], around.member_ptr[slot + 1]):
            g = around.member[i]
            if count_outside(around, slot, g, entity) == 0:
                anew[g] = draw_no_positive(around, e, g, n, state)


@inline
def is_drawn(around: Neighbourhoods, slot: int, entity: np.ndarray) -> bool:
    """Whether the neighbour in a slot is among those drawn for its anchor."""
    found = False
    for j in range(entity.shape[1]):
        found |= around.neighbour[slot] == entity[around.anchor[slot], j]
    return found


@inline
def count_outside(around: Neighbourhoods, slot: int, g: int, entity: np.ndarray) -> int:
    """How many of those drawn are outside P_r, the group g of a slot whose neighbour is drawn.

    Where several drawn are positives of g, the first of their slots sees to all: for the others
    it is as if all were outside.
    """
    e, count = around.anchor[slot], 0
    for j in range(entity.shape[1]):
        drawn = entity[e, j]
        if not is_positive(around, e, g, drawn):
            count += 1
        elif drawn < around.neighbour[slot]:
            return entity.shape[1]
    return count


@piece
def leave_out_positives(
    around: Neighbourhoods, e: int, radius: np.ndarray, drawn: Drawn, out: np.ndarray
) -> None:
    """Put M_ent of e right: groups leave out those drawn who are positives."""
    n_groups, rounds = around.group_ptr[e + 1] - around.group_ptr[e], drawn.entity.shape[1]
    for slot in range(around.slot_ptr[e], around.slot_ptr[e + 1]):
        if not is_drawn(around, slot, drawn.entity):
            continue
        for i in range(around.member_ptr[slot], around.member_ptr[slot + 1]):
            g = around.member[i]
            count = count_outside(around, slot, g, drawn.entity)
            if count == rounds:
                continue
            inside, outside = 0.0, 0.0
            for j in range(rounds):
                gap = abs(drawn.away[e, j] - radius[g])
                if is_positive(around, e, g, drawn.entity[e, j]):
                    inside += gap
                else:
                    outside += gap
            before, after = (inside + outside) / rounds, outside / max(count, 1)
            if count == 0 and drawn.anew[g] >= 0:
                after = abs(drawn.distances[drawn.anew[g]] - radius[g])
            out[e] += (after - before) / n_groups


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


@lean_kernel
def draw_outside(
    out: Neighbourhoods,
    into: Neighbourhoods,
    n: int,
    state: np.ndarray,
    start: int,
    stop: int,
    entity: np.ndarray,
    near: tuple[np.ndarray, np.ndarray],
    anew: tuple[np.ndarray, np.ndarray],
) -> None:
    """Draw among n entities for the anchors start..stop-1, by the graph alone.

    `entity` gets who is drawn, `near` per side whether a neighbour is, and `anew` per side and
    group who else if all of them are positives, or -1.
    """
    for first in range(start, stop, _SHARING):
        last = min(first + _SHARING, stop)
        for j in range(entity.shape[1]):
            drawn = below(state, n)
            for e in range(first, last):
                entity[e, j] = drawn
        for around, of_anchor, of_group in ((out, near[0], anew[0]), (into, near[1], anew[1])):
            look_for_neighbours(around, entity, n, state, first, last, of_anchor, of_group)


@cache
def active_margins_for(rounds: int) -> Callable[..., None]:
    """`active_margins`, compiled for so many draws."""

    @lean_kernel
    def active_margins(
        around: Neighbourhoods,
        radius: np.ndarray,
        drawn: Drawn,
        start: int,
        stop: int,
        out: np.ndarray,
    ) -> None:
        """M_ent of anchors start..stop-1: the mean of |‖h − t′‖ − radius|, t′ drawn outside P_r."""
        # Two loops: the second mispredicts branches, which would hold up the first.
        for e in range(start, stop):
            out[e] = mean_gap(around, e, radius, drawn.away, rounds)
        for e in range(start, stop):
            if drawn.near[e]:
                leave_out_positives(around, e, radius, drawn, out)

    return active_margins
