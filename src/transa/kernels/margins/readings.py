"""Adaptive margins from one distance per pair of neighbours: reductions round every anchor.

`start` and `stop` bound the anchors of a call, so that threads can share the work.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from transa.kernels.distances import distance_of_rows
from transa.kernels.jit import inline, lean_kernel, piece, place
from transa.kernels.margins.ordering import OrderingRoom, put_in_order
from transa.kernels.prefetch import prefetch_row
from transa.kernels.training.sampling import TAIL

# Pairs between asking for a row and reading it.
_AHEAD = 6
_ONE = place(1)


class Neighbourhoods(NamedTuple):
    """Compressed rows: anchors have neighbours, neighbours have groups, anchors have groups.

    A *slot* is a distinct (anchor, neighbour), a *group* a distinct (anchor, relation). A slot lies
    in one group or in several; the slots of a group are the positives P_r, the anchor's other slots
    the negatives N_r.

    Attributes:
        anchor: per slot; slots are sorted by anchor, then neighbour.
        neighbour: per slot.
        slot_ptr: slots of anchor e are slot_ptr[e] .. slot_ptr[e + 1] − 1.
        member_ptr: groups of slot s are member[member_ptr[s]] .. member[member_ptr[s + 1] − 1].
        member: group per distinct edge, sorted by slot.
        positive_ptr: slots of group g are positive[positive_ptr[g]] .. , as for `member_ptr`.
        positive: slot per distinct edge, sorted by group.
        positive_group: group per distinct edge, sorted.
        group_ptr: groups of anchor e are group_ptr[e] .. group_ptr[e + 1] − 1.
        group_anchor: per group, and −1 at the end.
        group_relation: per group.
        group_of_triple: per triple of the input, the group that it belongs to.
    """

    anchor: np.ndarray
    neighbour: np.ndarray
    slot_ptr: np.ndarray
    member_ptr: np.ndarray
    member: np.ndarray
    positive_ptr: np.ndarray
    positive: np.ndarray
    positive_group: np.ndarray
    group_ptr: np.ndarray
    group_anchor: np.ndarray
    group_relation: np.ndarray
    group_of_triple: np.ndarray


@cache
def pair_distances_for(dim: int, norm: int) -> Callable[..., None]:
    """`pair_distances`, compiled for vectors of this length, or ANY; known, it takes 40 % less."""

    @lean_kernel
    def pair_distances(
        rows: np.ndarray,
        others: np.ndarray,
        one: np.ndarray,
        other: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """‖one − other‖ of pairs of a row and one of the others."""
        size = dim or rows.shape[1]
        for i in range(len(out)):
            if i + _AHEAD < len(out):
                prefetch_row(others, other[i + _AHEAD], size)
            out[i] = distance_of_rows(rows, one[i], others, other[i], norm, size)

    return pair_distances


@inline
def has_group(around: Neighbourhoods, slot: int, g: int) -> bool:
    """Whether a neighbour is among the positives of a group."""
    found = False
    for i in range(place(around.member_ptr[slot]), place(around.member_ptr[slot + 1])):
        found |= around.member[i] == g
    return found


@lean_kernel
def pair_margins(
    around: Neighbourhoods,
    distances: np.ndarray,
    pairs: np.ndarray,
    room: OrderingRoom,
    gaps: np.ndarray,
    start: int,
    stop: int,
    out: np.ndarray,
) -> None:
    """M_ent of anchors start..stop-1 in the reading `pairs`.

    Per group, min |d(t′) − d(t)| over t in P_r, t′ in N_r. In order of distance it is a step
    between two adjacent neighbours, one of P_r and one of N_r.

    `pairs` tells which distance is each slot's; `room` is for an anchor's slots, `gaps` for its
    groups.
    """
    for e in range(start, stop):
        first, end = around.slot_ptr[e], around.slot_ptr[e + 1]
        first_group = around.group_ptr[e]
        n_groups = around.group_ptr[e + 1] - first_group
        # With one relation every neighbour is a positive: N_r is empty and the margin 0.
        out[e] = 0
        if n_groups < 2:
            continue
        for i in range(end - first):
            room.keys[i] = distances[place(pairs[place(first + i)])]
            room.items[i] = only_group(around, first + i, first_group)
        put_in_order(room, end - first)
        for g in range(n_groups):
            gaps[g] = math.inf
        for i in range(1, end - first):
            step = room.keys[i] - room.keys[i - 1]
            one, other = room.items[i - 1], room.items[i]
            # Most neighbours are in one group, which came along through the sort: no more to look
            # up, and no branch on it. That halves the time of this loop.
            if one >= 0 and other >= 0:
                step = step if one != other else distances.dtype.type(math.inf)
                gaps[place(one)] = min(gaps[place(one)], step)
                gaps[place(other)] = min(gaps[place(other)], step)
            else:
                narrow_gaps(around, one, other, step, first_group, gaps)
                narrow_gaps(around, other, one, step, first_group, gaps)
        total = 0.0
        for g in range(n_groups):
            if gaps[g] < math.inf:
                total += gaps[g]
        out[e] = total / n_groups


@inline
def only_group(around: Neighbourhoods, slot: int, first_group: int) -> int:
    """The place of a slot's group among its anchor's; of a slot in several, −1 − slot."""
    at = around.member_ptr[slot]
    return around.member[at] - first_group if around.member_ptr[slot + 1] - at == 1 else -1 - slot


@inline
def narrow_gaps(
    around: Neighbourhoods, one: int, other: int, step: float, first_group: int, gaps: np.ndarray
) -> None:
    """Note the step from one neighbour to another for the groups that only the one is in."""
    if one >= 0:
        if not has_group(around, -1 - other, one + first_group):
            gaps[one] = min(gaps[one], step)
        return
    for i in range(around.member_ptr[-1 - one], around.member_ptr[-one]):
        g = around.member[i]
        apart = other != g - first_group if other >= 0 else not has_group(around, -1 - other, g)
        if apart:
            gaps[g - first_group] = min(gaps[g - first_group], step)


@lean_kernel
def radii(
    around: Neighbourhoods,
    distances: np.ndarray,
    pairs: np.ndarray,
    start: int,
    stop: int,
    out: np.ndarray,
) -> None:
    """The radius of the internal sphere of the groups start..stop-1: max over P_r of ‖h − t‖.

    `pairs` tells which distance is each positive's.
    """
    # One loop over all edges: groups are small, and a nested loop would mispredict a branch at the
    # end of each. The maximum stays in a register; what is stored is never read again.
    before, farthest = place(stop), distances.dtype.type(0)
    for i in range(place(around.positive_ptr[start]), place(around.positive_ptr[stop])):
        g, distance = place(around.positive_group[i]), distances[place(pairs[i])]
        farthest = max(farthest, distance) if g == before else distance
        out[g] = farthest
        before = g


@lean_kernel
def sphere_margins(
    around: Neighbourhoods,
    distances: np.ndarray,
    pairs: np.ndarray,
    radius: np.ndarray,
    near: np.ndarray,
    start: int,
    stop: int,
    out: np.ndarray,
) -> None:
    """M_ent of anchors start..stop-1 in the reading `spheres`.

    Per group |min over N_r of d(t′) − radius|. The nearest neighbour of all is the nearest of N_r,
    but for the few groups that it is a positive of: these look for the nearest other.

    `pairs` tells which distance is each slot's; `near` is room for an anchor's slots.
    """
    for e in range(start, stop):
        first, end = around.slot_ptr[e], around.slot_ptr[e + 1]
        first_group, end_group = around.group_ptr[e], around.group_ptr[e + 1]
        out[e] = 0
        if end_group - first_group < 2:
            continue
        nearest = 0
        for i in range(end - first):
            near[i] = distances[place(pairs[place(first + i)])]
            if near[i] < near[nearest]:
                nearest = i
        total = distances.dtype.type(0)
        for g in range(place(first_group), place(end_group)):
            total += abs(near[nearest] - radius[g])
        slot = first + nearest
        for i in range(around.member_ptr[slot], around.member_ptr[slot + 1]):
            g = around.member[i]
            external = nearest_outside(around, g, first, end, near)
            total -= abs(near[nearest] - radius[g])
            total += abs(external - radius[g]) if external < math.inf else 0.0
        out[e] = total / (end_group - first_group)


@piece
def nearest_outside(
    around: Neighbourhoods, g: int, first: int, end: int, near: np.ndarray
) -> float:
    """The distance of the nearest among the slots first..end-1 that are no positives of g."""
    found = near.dtype.type(math.inf)
    for i in range(end - first):
        if near[i] < found and not has_group(around, first + i, g):
            found = near[i]
    return found


class ByLength(NamedTuple):
    """Every anchor's groups by the length of their relations, as of the last time.

    Attributes:
        group: which group is at each place.
        relation: its relation; has one more at the end, which is read and not used.
    """

    group: np.ndarray
    relation: np.ndarray


@piece
def sort_by_length(order: ByLength, lengths: np.ndarray, first: int, end: int) -> None:
    """Put the places first..end-1 in order: an insertion sort, which has little to do."""
    for i in range(first + 1, end):
        g, r = order.group[i], order.relation[i]
        j = i - 1
        while j >= first and lengths[order.relation[j]] > lengths[r]:
            order.group[j + 1], order.relation[j + 1] = order.group[j], order.relation[j]
            j -= 1
        order.group[j + 1], order.relation[j + 1] = g, r


@lean_kernel
def opt_margins(
    around: Neighbourhoods,
    lengths: np.ndarray,
    order: ByLength,
    entity_margins: np.ndarray,
    share: np.ndarray,
    mu: float,
    start: int,
    stop: int,
    out: np.ndarray,
) -> None:
    """M_opt = μ M_ent + (1 − μ) M_rel of the groups of anchors start..stop-1, each times its share.

    M_rel is the step to the next longer relation of the anchor. Lengths move little from one epoch
    to the next, so that `order` seldom has to be put right.
    """
    number = entity_margins.dtype.type
    of_entity, of_relation, none = number(mu), number(1 - mu), number(-math.inf)
    # One loop over the groups of all anchors, for the branches that it saves: see `radii`.
    i, end = place(around.group_ptr[start]), place(around.group_ptr[stop])
    e, length, before = around.group_anchor[i], lengths[order.relation[i]], none
    while i < end:
        next_e, after = around.group_anchor[i + _ONE], lengths[place(order.relation[i + _ONE])]
        is_last = next_e != e
        step = number(0) if is_last else after - length
        if step < 0:
            i = place(around.group_ptr[e])
            sort_by_length(order, lengths, around.group_ptr[e], around.group_ptr[e + 1])
            length, before = lengths[order.relation[i]], none
            continue
        # Equally long relations all have M_rel 0; without this the last of them would get the step
        # to the next longer one.
        m_rel = step if before != length else number(0)
        g = place(order.group[i])
        out[g] = share[g] * (of_entity * entity_margins[place(e)] + of_relation * m_rel)
        before = none if is_last else length
        e, length, i = next_e, after, i + _ONE


class TripleMargins(NamedTuple):
    """A margin for either side of every triple, kept once per group.

    Attributes:
        head_group: int32 per triple, its group among those anchored at heads.
        at_head: float32 per such group: the margin when the tail is corrupted.
        tail_group: int32 per triple, its group among those anchored at tails.
        at_tail: float32 per such group: the margin when the head is corrupted.
    """

    head_group: np.ndarray
    at_head: np.ndarray
    tail_group: np.ndarray
    at_tail: np.ndarray


@inline
def margin_of(margins: TripleMargins, i: int, side: int) -> np.float32:
    """The margin of triple i when this side is corrupted."""
    if side == TAIL:
        return margins.at_head[margins.head_group[i]]
    return margins.at_tail[margins.tail_group[i]]
