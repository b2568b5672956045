"""The reading `active` against its definition, for the entities that were drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transa.graph.neighbourhoods import neighbourhoods
from transa.kernels.distances import L1
from transa.kernels.margins.active import active_entity_margins_for, room_for_draws
from transa.kernels.margins.readings import radii
from transa.kernels.random import generator_state
from transa.margins import adaptive_margins


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


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 80), st.integers(1, 4))
def test_margins_equal_the_definition(seed, n, edges, rounds):
    rng = np.random.default_rng(seed)
    triples = rng.integers(0, (n, 3, n), size=(edges, 3)).astype(np.int32)
    points = rng.normal(size=(n, 4))
    sides = [neighbourhoods(triples, n, end) for end in ("head", "tail")]
    reach = []
    for around in sides:
        away = np.abs(points[around.anchor] - points[around.neighbour]).sum(axis=1)
        reach.append(np.empty(len(around.group_relation)))
        radii(around, away, around.positive, 0, len(reach[-1]), reach[-1])
    draws = room_for_draws(rounds, points.dtype)
    found = np.empty(n), np.empty(n)
    state = generator_state(seed)
    active_entity_margins = active_entity_margins_for(4, L1, rounds)
    active_entity_margins(points, *sides, *reach, state, draws, 0, n, *found)
    # So few anchors share their draws, which are still there.
    drawn = draws.entity.tolist()
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
    sides = [neighbourhoods(triples, n, end) for end in ("head", "tail")]
    points = np.zeros((n, 1))
    points[:, 0] = np.arange(n)
    radius = np.zeros(n)
    found = np.empty(n), np.empty(n)
    draws = room_for_draws(1, points.dtype)
    state = generator_state(0)
    active_entity_margins = active_entity_margins_for(1, L1, 1)
    active_entity_margins(points, *sides, radius, radius, state, draws, 0, n, *found)
    drawn = {round(e - found[0][e]) for e in range(n)} | {round(e + found[0][e]) for e in range(n)}
    assert len(drawn) > 5
