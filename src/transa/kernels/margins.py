"""Adaptive margins from one distance per neighbour: reductions round every anchor.

The first arguments are the fields of `transa.graph.neighbourhoods.Neighbourhoods`. `start` and
`stop` bound the slots or anchors of a call, so that threads can share the work.
"""

from __future__ import annotations

import math

import numpy as np

from transa.kernels.distances import distance_of_rows
from transa.kernels.jit import inline, kernel
from transa.kernels.random import below


@kernel
def slot_distances(
    rows: np.ndarray,
    anchor: np.ndarray,
    neighbour: np.ndarray,
    norm: int,
    start: int,
    stop: int,
    out: np.ndarray,
) -> None:
    """‖anchor − neighbour‖ of slots start..stop-1."""
    for i in range(start, stop):
        out[i] = distance_of_rows(rows, anchor[i], neighbour[i], norm)


@inline
def gaps_of_pairs(
    order: np.ndarray,
    distances: np.ndarray,
    member_ptr: np.ndarray,
    member: np.ndarray,
    first_slot: int,
    first_group: int,
    last: np.ndarray,
    gaps: np.ndarray,
) -> None:
    """`pairs`: per group, min |d(t′) − d(t)| over t in P_r, t′ in N_r.

    In order of distance the minimum is between two adjacent neighbours, one of P_r and one of N_r:
    at the two ends of each run of P_r's members.
    """
    n = order.shape[0]
    for position in range(n):
        here = distances[order[position]]
        slot = first_slot + order[position]
        for i in range(member_ptr[slot], member_ptr[slot + 1]):
            g = member[i] - first_group
            if last[g] < position - 1:
                gaps[g] = min(gaps[g], here - distances[order[position - 1]])
                if last[g] >= 0:
                    step = distances[order[last[g] + 1]] - distances[order[last[g]]]
                    gaps[g] = min(gaps[g], step)
            last[g] = position
    for g in range(gaps.shape[0]):
        if last[g] < n - 1:
            step = distances[order[last[g] + 1]] - distances[order[last[g]]]
            gaps[g] = min(gaps[g], step)


@inline
def gaps_of_spheres(
    order: np.ndarray,
    distances: np.ndarray,
    member_ptr: np.ndarray,
    member: np.ndarray,
    first_slot: int,
    first_group: int,
    last: np.ndarray,
    gaps: np.ndarray,
) -> None:
    """`spheres`: per group, |min over N_r of d(t′) − max over P_r of d(t)|.

    `gaps` counts, while it is being filled, the members of P_r that come before any of N_r.
    """
    n = order.shape[0]
    gaps[:] = 0
    for position in range(n):
        slot = first_slot + order[position]
        for i in range(member_ptr[slot], member_ptr[slot + 1]):
            g = member[i] - first_group
            if gaps[g] == position:
                gaps[g] += 1
            last[g] = position
    for g in range(gaps.shape[0]):
        nearest_negative = int(gaps[g])
        if nearest_negative == n:
            gaps[g] = math.inf
        else:
            gaps[g] = abs(distances[order[nearest_negative]] - distances[order[last[g]]])


@kernel
def entity_margins(
    slot_ptr: np.ndarray,
    member_ptr: np.ndarray,
    member: np.ndarray,
    group_ptr: np.ndarray,
    distances: np.ndarray,
    pairs: bool,
    start: int,
    stop: int,
    out: np.ndarray,
) -> None:
    """M_ent of anchors start..stop-1 in the readings `pairs` and `spheres`."""
    for e in range(start, stop):
        n_groups = group_ptr[e + 1] - group_ptr[e]
        # With one relation every neighbour is a positive: N_r is empty and the margin 0.
        out[e] = 0
        if n_groups < 2:
            continue
        around = distances[slot_ptr[e] : slot_ptr[e + 1]]
        order = np.argsort(around)
        last = np.full(n_groups, -1, np.int32)
        gaps = np.full(n_groups, math.inf, distances.dtype)
        first_slot, first_group = slot_ptr[e], group_ptr[e]
        if pairs:
            gaps_of_pairs(order, around, member_ptr, member, first_slot, first_group, last, gaps)
        else:
            gaps_of_spheres(order, around, member_ptr, member, first_slot, first_group, last, gaps)
        total = 0.0
        for g in range(n_groups):
            if gaps[g] < math.inf:
                total += gaps[g]
        out[e] = total / n_groups


@inline
def slot_of(neighbour: np.ndarray, start: int, stop: int, wanted: int) -> int:
    """The slot among start..stop-1 whose neighbour is `wanted`; -1 if there is none."""
    end = stop
    while start < stop:
        middle = (start + stop) >> 1
        if neighbour[middle] < wanted:
            start = middle + 1
        else:
            stop = middle
    return start if start < end and neighbour[start] == wanted else -1


@kernel
def active_entity_margins(
    rows: np.ndarray,
    neighbour: np.ndarray,
    slot_ptr: np.ndarray,
    member_ptr: np.ndarray,
    member: np.ndarray,
    group_ptr: np.ndarray,
    distances: np.ndarray,
    norm: int,
    rounds: int,
    state: np.ndarray,
    start: int,
    stop: int,
    out: np.ndarray,
) -> None:
    """M_ent of anchors start..stop-1 in the reading `active`.

    Per group the mean over the rounds of |d(t′) − max over P_r of d(t)|; the t′ drawn serve all
    groups of the anchor but those they are positives of.
    """
    n_entities = rows.shape[0]
    for e in range(start, stop):
        first_group, first_slot = group_ptr[e], slot_ptr[e]
        n_groups = group_ptr[e + 1] - first_group
        out[e] = 0
        if n_groups == 0:
            continue
        farthest = np.zeros(n_groups, distances.dtype)
        for slot in range(first_slot, slot_ptr[e + 1]):
            for i in range(member_ptr[slot], member_ptr[slot + 1]):
                g = member[i] - first_group
                farthest[g] = max(farthest[g], distances[slot])
        sums = np.zeros(n_groups, distances.dtype)
        draws = np.full(n_groups, rounds, np.int32)
        for _ in range(rounds):
            drawn = below(state, n_entities)
            away = distance_of_rows(rows, e, drawn, norm)
            for g in range(n_groups):
                sums[g] += abs(away - farthest[g])
            slot = slot_of(neighbour, first_slot, slot_ptr[e + 1], drawn)
            if slot >= 0:
                for i in range(member_ptr[slot], member_ptr[slot + 1]):
                    g = member[i] - first_group
                    sums[g] -= abs(away - farthest[g])
                    draws[g] -= 1
        total = 0.0
        for g in range(n_groups):
            if draws[g] > 0:
                total += max(sums[g], 0) / draws[g]
        out[e] = total / n_groups


@kernel
def relation_margins(
    group_ptr: np.ndarray,
    group_relation: np.ndarray,
    lengths: np.ndarray,
    start: int,
    stop: int,
    out: np.ndarray,
) -> None:
    """M_rel of the groups of anchors start..stop-1: the step to the next longer relation."""
    for e in range(start, stop):
        first, end = group_ptr[e], group_ptr[e + 1]
        own = lengths[group_relation[first:end]]
        order = np.argsort(own)
        for position in range(end - first):
            g = order[position]
            out[first + g] = 0
            equal_before = position > 0 and own[order[position - 1]] == own[g]
            if position + 1 < end - first and not equal_before:
                out[first + g] = own[order[position + 1]] - own[g]
