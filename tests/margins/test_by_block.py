"""Margins from an entity table that is handed in by parts, against those from the whole."""

from __future__ import annotations

import numpy as np
import pytest

from transa.margins import READINGS, Adaptive
from transa.margins.adaptive import opt_margins
from transa.margins.by_block import margins_from, measure_pairs, pairs_to_measure
from transa.margins.margin_graph import MarginGraph, Pairs
from transa.models.energy import lengths

N, RELATIONS, PARTS = 90, 4, 3
SEED = (7, 0, 1)


@pytest.fixture(scope="module")
def triples():
    """With a hub whose neighbours are nearly all entities, so that some are drawn anew."""
    rng = np.random.default_rng(0)
    some = rng.integers(0, (N, RELATIONS, N), size=(400, 3))
    hub = [[5, 1, e] for e in range(N - 2)]
    return np.concatenate([some, hub]).astype(np.int32)


@pytest.fixture(scope="module")
def tables():
    rng = np.random.default_rng(1)
    return tuple(rng.normal(size=(n, 6)).astype(np.float32) for n in (N, RELATIONS))


def rooms(graph):
    return tuple(np.full_like(side.radii, np.nan) for side in graph.sides)


def whole(graph, tables, norm, margin):
    out, shares = rooms(graph), tuple(np.ones_like(room) for room in rooms(graph))
    opt_margins(graph, *tables, norm, margin, shares, out, epoch=2, seed=SEED)
    return out


def distances_by_parts(wanted, parts, norm):
    """Every pair measured with nothing at hand but the two parts that its ends are in."""
    size = len(parts[0])
    found = []
    for one, other in wanted.pairs:
        distances = np.full(len(one), np.nan, np.float32)
        for i, rows in enumerate(parts):
            for j, others in enumerate(parts):
                here = np.flatnonzero((one // size == i) & (other // size == j))
                block = Pairs(one[here] - i * size, other[here] - j * size)
                measured = np.empty(len(here), np.float32)
                measure_pairs(block, rows, others, norm, measured)
                distances[here] = measured
        found.append(distances)
    return tuple(found)


def by_parts(graph, tables, norm, margin):
    entity, relation = tables
    out, shares = rooms(graph), tuple(np.ones_like(room) for room in rooms(graph))
    wanted = pairs_to_measure(graph, margin, SEED)
    distances = distances_by_parts(wanted, np.split(entity, PARTS), norm)
    margins_from(graph, wanted, distances, lengths(relation, norm), margin, shares, out, epoch=2)
    return out


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("norm", ["l1", "l2", "l2sq"])
@pytest.mark.parametrize("mu", [0.0, 0.7])
def test_parts_give_the_bits_of_the_whole(triples, tables, reading, norm, mu):
    graph = MarginGraph.of(triples, N)
    margin = Adaptive(mu=mu, reading=reading, mu_halved_after=5)
    for one, other in zip(
        whole(graph, tables, norm, margin), by_parts(graph, tables, norm, margin), strict=True
    ):
        assert np.isfinite(one).all()
        np.testing.assert_array_equal(one, other)


def test_the_hub_has_someone_drawn_anew(triples):
    wanted = pairs_to_measure(MarginGraph.of(triples, N), Adaptive(), SEED)
    n_drawn = N * Adaptive().rounds
    assert len(wanted.pairs[1].one) > n_drawn
    assert 5 in wanted.pairs[1].one[n_drawn:]
    assert max(anew.max() for anew in wanted.anew) == len(wanted.pairs[1].one) - 1


@pytest.mark.parametrize("reading", ["pairs", "spheres"])
def test_the_triples_round_some_anchors_are_enough_for_them(triples, tables, reading):
    anchors = np.arange(30, 60)
    touching = np.isin(triples[:, 0], anchors) | np.isin(triples[:, 2], anchors)
    margin = Adaptive(reading=reading)
    graph, part = MarginGraph.of(triples, N), MarginGraph.of(triples[touching], N)
    found = by_parts(part, tables, "l1", margin)
    for whole_side, side, expected, margins in zip(
        graph.sides, part.sides, whole(graph, tables, "l1", margin), found, strict=True
    ):
        groups, mine = (
            np.flatnonzero(np.isin(each.around.group_anchor[:-1], anchors))
            for each in (whole_side, side)
        )
        np.testing.assert_array_equal(margins[mine], expected[groups])
