"""The reading `active` against its definition, for the entities that were drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transa.margins import Adaptive, adaptive_margins
from transa.margins.by_block import margins_from, measure_pairs, pairs_to_measure
from transa.margins.margin_graph import MarginGraph


def m_ent_by_definition(e, edges, points, drawn):
    """The mean over e's relations of the mean gap to those drawn outside P_r: its least and most.

    The two differ where all drawn are positives, and one outside, whoever that is, is drawn anew.
    """
    positives = {}
    for h, r, t in edges:
        if h == e:
            positives.setdefault(r, set()).add(t)
    away = np.abs(points[e] - points).sum(axis=1)
    gaps = []
    for inside in positives.values():
        radius = max(away[t] for t in inside)
        outside = [abs(away[t] - radius) for t in drawn if t not in inside]
        anew = [abs(away[t] - radius) for t in range(len(points)) if t not in inside] or [0.0]
        mean = np.mean(outside) if outside else None
        gaps.append((min(anew), max(anew)) if mean is None else (mean, mean))
    return np.mean(gaps, axis=0) if gaps else (0.0, 0.0)


def m_ent_and_drawn(triples, points, rounds, seed):
    """M_ent of every entity as a head and as a tail, and who was drawn for each."""
    graph = MarginGraph.of(triples, len(points), points.dtype)
    margin = Adaptive(mu=1.0, reading="active", rounds=rounds)
    wanted = pairs_to_measure(graph, margin, (seed,))
    distances = tuple(np.empty(len(pairs.one)) for pairs in wanted.pairs)
    for pairs, room in zip(wanted.pairs, distances, strict=True):
        measure_pairs(pairs, points, points, "l1", room)
    shares = tuple(np.ones_like(side.radii) for side in graph.sides)
    out = tuple(np.empty_like(share) for share in shares)
    margins_from(graph, wanted, distances, np.zeros(3), margin, shares, out)
    drawn = wanted.pairs[1].other[: len(points) * rounds].reshape(-1, rounds)
    return [side.m_ent for side in graph.sides], drawn


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 80), st.integers(1, 4))
def test_margins_equal_the_definition(seed, n, edges, rounds):
    rng = np.random.default_rng(seed)
    triples = rng.integers(0, (n, 3, n), size=(edges, 3)).astype(np.int32)
    points = rng.normal(size=(n, 4))
    found, drawn = m_ent_and_drawn(triples, points, rounds, seed)
    # So few anchors share their draws.
    drawn = drawn[0].tolist()
    for way, margins in zip((slice(None), slice(None, None, -1)), found, strict=True):
        turned = triples[:, way].tolist()
        for e in range(n):
            least, most = m_ent_by_definition(e, turned, points, drawn)
            assert least - 1e-9 <= margins[e] <= most + 1e-9


def test_where_most_are_positives_the_margin_is_not_less():
    positives, others = np.arange(1, 91), np.arange(91, 101)
    triples = np.stack([np.zeros(90), np.zeros(90), positives], axis=1).astype(np.int64)
    points = np.append(0.0, np.concatenate([np.ones(90), np.full(10, 5.0)]))[:, None]
    found = [
        adaptive_margins(triples, points, np.ones((1, 1)), mu=1, reading="active", seed=seed)[0][0]
        for seed in range(300)
    ]
    outside = np.abs(np.append(points[others, 0], 0.0) - 1.0)
    assert np.mean(found) == pytest.approx(outside.mean(), rel=0.05)


def test_anchors_far_apart_have_draws_of_their_own():
    n = 1000
    triples = np.array([[e, 0, e] for e in range(n)], dtype=np.int32)
    points = np.arange(n, dtype=float)[:, None]
    (found, _), drawn = m_ent_and_drawn(triples, points, rounds=1, seed=0)
    assert len(np.unique(drawn)) > 5
    others = drawn[:, 0] != np.arange(n)
    np.testing.assert_array_equal(found[others], np.abs(drawn[:, 0] - np.arange(n))[others])
