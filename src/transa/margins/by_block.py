"""Margins in two steps: measure one number per pair of entities, then reduce the numbers.

Measuring (`measure_pairs`) needs some pairs and the rows that they touch: a table of entities can
lie in parts on disk, and the pairs be sorted by the two parts that their ends are in. Reducing
(`margins_from`) needs the numbers and the length of every relation, but no row of an entity. What
a reading has measured:

``pairs``, ``spheres``
    the distance of every pair of neighbours, once, whichever is the head.
``active``
    these, and the distances of pairs that are drawn before (`pairs_to_measure`): `rounds` for every
    entity, and one more for each of its groups to which all of those drawn are positives. Whom to
    draw is read from the graph alone, so that these pairs are measured like any others.

With μ = 0 nothing is measured. A part of the graph will do for both steps if it has all triples
round the anchors whose margins are wanted; the margins of other anchors then mean nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from transa.kernels.distances import NORM_CODES
from transa.kernels.margins import readings as kernels
from transa.kernels.margins.active import Drawn, active_margins_for, draw_outside
from transa.kernels.margins.ordering import room_for_ordering
from transa.kernels.random import generator_state
from transa.kernels.sizes import compiled_dim
from transa.margins.margin import Adaptive, Reading
from transa.margins.margin_graph import Floats, Ids, MarginGraph, Pairs, Side
from transa.models.energy import Norm


class ToMeasure(NamedTuple):
    """The pairs that margins are made of.

    Attributes:
        pairs: of neighbours, then those drawn; either may be missing, as the reading needs.
        near: of both sides, whether anyone drawn for an anchor is its neighbour.
        anew: of both sides, which of the pairs drawn is the one drawn anew for a group; else -1.
    """

    pairs: tuple[Pairs, ...] = ()
    near: tuple[NDArray[np.bool_], ...] = ()
    anew: tuple[Ids, ...] = ()


def pairs_to_measure(
    graph: MarginGraph, margin: Adaptive, seed: tuple[int, ...] = (0,), threads: int = 1
) -> ToMeasure:
    """Which distances `margins_from` wants; `seed` and `threads` decide who is drawn."""
    if margin.mu == 0:
        return ToMeasure()
    if margin.reading != "active":
        return ToMeasure((graph.pairs,))
    n = graph.n_entities
    sides = graph.sides[0].around, graph.sides[1].around
    entity = np.empty((n, margin.rounds), np.int32)
    near = np.empty(n, np.bool_), np.empty(n, np.bool_)
    anew = (
        np.empty(len(sides[0].group_relation), np.int32),
        np.empty(len(sides[1].group_relation), np.int32),
    )

    def draw(span: int, start: int, stop: int) -> None:
        state = generator_state(*seed, span)
        draw_outside(*sides, n, state, start, stop, entity, near, anew)

    graph.over_anchors(draw, threads)
    one, other = [np.repeat(np.arange(n, dtype=np.int32), margin.rounds)], [entity.ravel()]
    count = entity.size
    for around, drawn in zip(sides, anew, strict=True):
        groups = np.flatnonzero(drawn >= 0)
        one.append(around.group_anchor[groups])
        other.append(drawn[groups])
        drawn[groups] = np.arange(count, count + len(groups))
        count += len(groups)
    return ToMeasure((graph.pairs, Pairs(np.concatenate(one), np.concatenate(other))), near, anew)


def measure_pairs(pairs: Pairs, rows: Floats, others: Floats, norm: Norm, out: Floats) -> None:
    """Fill `out` with ‖rows[one] − others[other]‖ of each pair.

    Ids are relative to the block of rows that they are looked up in. A table in memory is one
    block, and both `rows` and `others`.
    """
    dim = compiled_dim(rows.shape[1])
    kernels.pair_distances_for(dim, NORM_CODES[norm])(rows, others, *pairs, out)


def margins_from(
    graph: MarginGraph,
    measured: ToMeasure,
    distances: tuple[Floats, ...],
    relation_lengths: Floats,
    margin: Adaptive,
    shares: tuple[Floats, Floats],
    out: tuple[Floats, Floats],
    *,
    epoch: int = 0,
    threads: int = 1,
) -> None:
    """Fill `out` with M_opt per group, times the group's share.

    Args:
        graph: whose neighbourhoods; its room is used.
        measured: what `pairs_to_measure` gave.
        distances: of `measured.pairs`, in their order.
        relation_lengths: ‖r‖ of every relation.
        margin: its reading and μ.
        shares: per group, anchored at heads and at tails.
        out: the same.
        epoch: which μ may depend on.
        threads: how many share the anchors.
    """
    mu = margin.mu_in(epoch)

    def fill(_: int, start: int, stop: int) -> None:
        for i, (side, share, margins) in enumerate(zip(graph.sides, shares, out, strict=True)):
            if len(distances) == 1:
                _fill_m_ent(graph, side, distances[0], margin.reading, start, stop)
            elif distances:
                _fill_radii(side, distances[0], start, stop)
                drawn = _drawn(measured, distances[1], i, margin.rounds)
                fill_active = active_margins_for(margin.rounds)
                fill_active(side.around, side.radii, drawn, start, stop, side.m_ent)
            kernels.opt_margins(
                side.around,
                relation_lengths,
                side.order,
                side.m_ent,
                share,
                mu,
                start,
                stop,
                margins,
            )

    graph.over_anchors(fill, threads)


def _fill_m_ent(
    graph: MarginGraph, side: Side, distances: Floats, reading: Reading, start: int, stop: int
) -> None:
    """M_ent of a span of anchors on one side, from distances of neighbours alone."""
    around, pairs, m_ent = side.around, side.pair_of_slot, side.m_ent
    if reading == "pairs":
        slots = room_for_ordering(graph.most_neighbours, distances.dtype)
        gaps = np.empty(graph.most_groups, distances.dtype)
        kernels.pair_margins(around, distances, pairs, slots, gaps, start, stop, m_ent)
        return
    _fill_radii(side, distances, start, stop)
    near = np.empty(graph.most_neighbours, distances.dtype)
    kernels.sphere_margins(around, distances, pairs, side.radii, near, start, stop, m_ent)


def _fill_radii(side: Side, distances: Floats, start: int, stop: int) -> None:
    """The internal spheres of a span of anchors."""
    first, end = side.around.group_ptr[start], side.around.group_ptr[stop]
    kernels.radii(side.around, distances, side.pair_of_positive, first, end, side.radii)


def _drawn(measured: ToMeasure, distances: Floats, side: int, rounds: int) -> Drawn:
    """Those drawn as the kernel wants them: a row an anchor."""
    near, anew = measured.near[side], measured.anew[side]
    n = len(near) * rounds
    entity, away = measured.pairs[1].other[:n], distances[:n]
    return Drawn(entity.reshape(-1, rounds), away.reshape(-1, rounds), near, anew, distances)
