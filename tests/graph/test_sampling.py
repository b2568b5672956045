from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from transa.graph.known import KnownIndex
from transa.graph.sampling import bernoulli_head_rate, draw, known_of
from transa.kernels.random import generator_state

N, M = 7, 3


@st.composite
def some_triples(draw_from):
    rows = draw_from(
        st.lists(
            st.tuples(st.integers(0, N - 1), st.integers(0, M - 1), st.integers(0, N - 1)),
            min_size=1,
            max_size=60,
        )
    )
    return np.array(rows, dtype=np.int32)


@settings(max_examples=60, deadline=None)
@given(some_triples(), st.sampled_from(["uniform", "bernoulli"]), st.integers(0, 1000))
def test_a_negative_is_never_a_known_triple(triples, rule, seed):
    known = known_of(triples, N, M, rule)
    truths = {tuple(row) for row in triples.tolist()}
    sides, negatives = draw(triples, np.arange(len(triples)), known, 3, generator_state(seed))
    for (h, r, t), side, drawn in zip(triples.tolist(), sides, negatives, strict=True):
        corrupted = [(h, r, x) if side == 1 else (x, r, t) for x in drawn.tolist()]
        if side < 0:
            full_tails = all((h, r, x) in truths for x in range(N))
            full_heads = all((x, r, t) in truths for x in range(N))
            assert full_tails or full_heads
        else:
            assert truths.isdisjoint(corrupted)
            assert ((drawn >= 0) & (drawn < N)).all()


def test_a_full_side_has_nothing_to_draw():
    triples = np.array([[0, 0, t] for t in range(3)], dtype=np.int32)
    known = known_of(triples, 3, 1, "uniform")
    sides, _ = draw(triples, np.zeros(200, dtype=np.int64), known, 1, generator_state(1))
    assert set(sides.tolist()) == {-1, 0}


def test_every_other_entity_is_drawn_alike():
    triples = np.array([[0, 0, 1]], dtype=np.int32)
    known = known_of(triples, 5, 1, "uniform")
    sides, negatives = draw(triples, np.zeros(8000, dtype=np.int64), known, 1, generator_state(3))
    tails = np.bincount(negatives[sides == 1, 0], minlength=5)
    assert tails[1] == 0
    assert np.allclose(tails[[0, 2, 3, 4]] / tails.sum(), 0.25, atol=0.03)


def test_bernoulli_rates_are_those_of_the_definition():
    # Relation 0 is 1-to-N: one head, four tails, so tph = 4 and hpt = 1. Relation 2 has no triples.
    triples = np.array([[0, 0, t] for t in (1, 2, 3, 4, 4)] + [[0, 1, 1], [2, 1, 3]], np.int32)
    np.testing.assert_allclose(
        bernoulli_head_rate(KnownIndex(triples, 5, 3)), [4 / 5, 0.5, 0.5], rtol=1e-6
    )
    known = known_of(triples, 5, 3, "bernoulli")
    which = np.zeros(8000, dtype=np.int64)
    sides, _ = draw(triples, which, known, 1, generator_state(0))
    assert abs((sides == 0).mean() - 4 / 5) < 0.02


@settings(max_examples=60, deadline=None)
@given(some_triples(), st.sampled_from([0.0, 0.3, 1.0]), st.integers(0, 1000))
def test_in_position_too_a_negative_is_never_a_known_triple(triples, tail_share, seed):
    options = {"tail_share": tail_share, "same_position": 1.0}
    known = known_of(triples, N, M, "uniform", **options)
    truths = {tuple(row) for row in triples.tolist()}
    sides, negatives = draw(triples, np.arange(len(triples)), known, 3, generator_state(seed))
    for (h, r, t), side, drawn in zip(triples.tolist(), sides, negatives, strict=True):
        if side >= 0:
            corrupted = [(h, r, x) if side == 1 else (x, r, t) for x in drawn.tolist()]
            assert truths.isdisjoint(corrupted)
    if tail_share in (0, 1):
        assert set(sides.tolist()) <= {-1, int(tail_share)}


def test_in_position_only_what_was_seen_there_is_drawn():
    # Relation 0 leads from 0, 1, 2 to 3, 4; relation 1 from 5 to 6, where there is nobody else.
    triples = np.array([[0, 0, 3], [1, 0, 4], [2, 0, 3], [5, 1, 6]], np.int32)
    known = known_of(triples, N, 2, "uniform", same_position=1.0)
    sides, negatives = draw(triples, np.tile(np.arange(4), 500), known, 2, generator_state(0))
    drawn = {
        (i, side): set(negatives[i::4][sides[i::4] == side].ravel().tolist())
        for i in range(4)
        for side in (0, 1)
    }
    assert (drawn[0, 0], drawn[0, 1]) == ({1}, {4})
    assert (drawn[1, 0], drawn[1, 1]) == ({0, 2}, {3})
    # Where position leaves nobody, anybody will do.
    assert drawn[3, 1] == set(range(N)) - {6}


def test_shares_are_kept():
    triples = np.array([[0, 0, 1], [2, 0, 3]], np.int32)
    known = known_of(triples, 5, 1, "uniform", tail_share=0.9, same_position=0.5)
    sides, negatives = draw(triples, np.zeros(8000, dtype=np.int64), known, 1, generator_state(0))
    assert abs((sides == 1).mean() - 0.9) < 0.02
    # 3 is the other tail: always in position, and one of four else.
    assert abs((negatives[sides == 1, 0] == 3).mean() - (0.5 + 0.5 / 4)) < 0.02
