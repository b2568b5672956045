"""M_ent in the reading `active`: entities drawn at random against the farthest positive.

`start` and `stop` bound the anchors of a call, so that threads can share the work.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from transa.kernels.distances import distance_of_rows
from transa.kernels.jit import inline, lean_kernel, piece
from transa.kernels.margins import Neighbourhoods, has_group
from transa.kernels.memory import apart
from transa.kernels.random import below

# Anchors that share their draws: each has as many as it asks for, and the rows drawn stay in the
# nearest cache. Drawing for every anchor by itself took half of the time of all margins.
_SHARING = 64


class Draws(NamedTuple):
    """The entities drawn for some anchors: room for one thread.

    Attributes:
        entity: who is drawn.
        away: how far each is from the anchor at hand.
        among_tails: for each of those anchors, whether one of its tails is drawn.
        among_heads: whether one of its heads is.
    """

    entity: np.ndarray
    away: np.ndarray
    among_tails: np.ndarray
    among_heads: np.ndarray


def room_for_draws(rounds: int, dtype: np.dtype) -> Draws:
    """Fresh room for `rounds` draws."""
    return Draws(
        entity=apart(rounds, np.int64),
        away=apart(rounds, dtype),
        among_tails=apart(_SHARING, np.bool_),
        among_heads=apart(_SHARING, np.bool_),
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
def mark_neighbours(
    around: Neighbourhoods, entity: int, start: int, stop: int, marks: np.ndarray
) -> None:
    """Mark which of the anchors start..stop-1 are neighbours of an entity."""
    place, end = first_slot(around, entity, start), around.slot_ptr[entity + 1]
    while place < end and around.neighbour[place] < stop:
        marks[around.neighbour[place] - start] = True
        place += 1


@inline
def draw(
    state: np.ndarray,
    out: Neighbourhoods,
    into: Neighbourhoods,
    start: int,
    stop: int,
    draws: Draws,
) -> None:
    """Draw for the anchors start..stop-1."""
    for i in range(stop - start):
        draws.among_tails[i] = draws.among_heads[i] = False
    for j in range(draws.entity.shape[0]):
        entity = below(state, out.slot_ptr.shape[0] - 1)
        draws.entity[j] = entity
        # Who is a tail of an anchor has it among its heads.
        mark_neighbours(into, entity, start, stop, draws.among_tails)
        mark_neighbours(out, entity, start, stop, draws.among_heads)


@inline
def mean_gap(around: Neighbourhoods, e: int, radius: np.ndarray, away: np.ndarray) -> float:
    """The mean over the groups of e and those drawn, of whom none is a neighbour of e."""
    start, stop = around.group_ptr[e], around.group_ptr[e + 1]
    total = radius.dtype.type(0)
    # Draws inside: the other way round LLVM prepares for more groups than most entities have.
    for g in range(start, stop):
        for j in range(away.shape[0]):
            total += abs(away[j] - radius[g])
    return total / max((stop - start) * away.shape[0], 1)


@inline
def is_positive(around: Neighbourhoods, e: int, g: int, entity: int) -> bool:
    """Whether an entity is among the positives of a group of e."""
    slot = first_slot(around, e, entity)
    if slot == around.slot_ptr[e + 1] or around.neighbour[slot] != entity:
        return False
    return has_group(around, slot, g)


@piece
def mean_gap_outside(around: Neighbourhoods, e: int, radius: np.ndarray, draws: Draws) -> float:
    """The same where some are neighbours, whom the groups that they are positives of leave out.

    A group that all drawn are positives of has no margin.
    """
    start, stop = around.group_ptr[e], around.group_ptr[e + 1]
    total = 0.0
    for g in range(start, stop):
        sum_, count = 0.0, 0
        for j in range(draws.entity.shape[0]):
            if not is_positive(around, e, g, draws.entity[j]):
                sum_ += abs(draws.away[j] - radius[g])
                count += 1
        total += sum_ / max(count, 1)
    return total / (stop - start)


@lean_kernel
def active_entity_margins(
    rows: np.ndarray,
    out: Neighbourhoods,
    into: Neighbourhoods,
    out_radius: np.ndarray,
    into_radius: np.ndarray,
    norm: int,
    state: np.ndarray,
    draws: Draws,
    start: int,
    stop: int,
    out_margins: np.ndarray,
    into_margins: np.ndarray,
) -> None:
    """M_ent of anchors start..stop-1: the mean of |‖h − t′‖ − radius| over t′ drawn outside P_r."""
    for first in range(start, stop, _SHARING):
        last = min(first + _SHARING, stop)
        draw(state, out, into, first, last, draws)
        for e in range(first, last):
            for j in range(draws.entity.shape[0]):
                draws.away[j] = distance_of_rows(rows, e, draws.entity[j], norm)
            if draws.among_tails[e - first]:
                out_margins[e] = mean_gap_outside(out, e, out_radius, draws)
            else:
                out_margins[e] = mean_gap(out, e, out_radius, draws.away)
            if draws.among_heads[e - first]:
                into_margins[e] = mean_gap_outside(into, e, into_radius, draws)
            else:
                into_margins[e] = mean_gap(into, e, into_radius, draws.away)
