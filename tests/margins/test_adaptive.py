"""Adaptive margins against the definitions, written out as sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transa.errors import ConfigError, InputError
from transa.margins import adaptive_margins

LENGTH = {
    "l1": lambda v: np.abs(v).sum(),
    "l2": lambda v: np.sqrt((v * v).sum()),
    "l2sq": lambda v: (v * v).sum(),
}


def margins_by_definition(triples, entity, relation, mu, norm, reading, *, at_tail=False):
    """M_opt of each triple as the paper defines it; at the tail, by turning triples round."""
    length = LENGTH[norm]
    rows = [tuple(row) for row in triples.tolist()]
    if at_tail:
        rows = [(t, r, h) for h, r, t in rows]
    truths = set(rows)

    def m_ent(h):
        relations = {r for a, r, _ in truths if a == h}
        neighbours = {t for a, _, t in truths if a == h}
        total = 0.0
        for r in relations:
            positives = {t for t in neighbours if (h, r, t) in truths}
            inside = [length(entity[h] - entity[t]) for t in positives]
            outside = [length(entity[h] - entity[t]) for t in neighbours - positives]
            if outside and reading == "pairs":
                total += min(abs(b - a) for a in inside for b in outside)
            elif outside:
                total += abs(min(outside) - max(inside))
        return total / len(relations)

    def m_rel(h, r):
        others = {q for a, q, _ in truths if a == h and q != r}
        steps = [length(relation[q]) - length(relation[r]) for q in others]
        return min((step for step in steps if step >= 0), default=0.0)

    return np.array([mu * m_ent(h) + (1 - mu) * m_rel(h, r) for h, r, _ in rows])


@st.composite
def small_graphs(draw):
    n, m = draw(st.integers(1, 8)), draw(st.integers(1, 5))
    triple = st.tuples(st.integers(0, n - 1), st.integers(0, m - 1), st.integers(0, n - 1))
    triples = np.array(draw(st.lists(triple, min_size=1, max_size=30)), dtype=np.int32)
    # A coarse grid makes equal distances, zero distances and equal lengths common.
    coordinate = st.integers(-2, 2).map(float)
    entity = np.array(draw(st.lists(st.tuples(coordinate, coordinate), min_size=n, max_size=n)))
    relation = np.array(draw(st.lists(st.tuples(coordinate, coordinate), min_size=m, max_size=m)))
    return triples, entity, relation


@settings(max_examples=200, deadline=None)
@given(
    small_graphs(),
    st.sampled_from(["pairs", "spheres"]),
    st.sampled_from(["l1", "l2", "l2sq"]),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.sampled_from([1, 2]),
)
def test_margins_equal_the_definitions(graph, reading, norm, mu, threads):
    triples, entity, relation = graph
    head, tail = adaptive_margins(*graph, mu=mu, norm=norm, reading=reading, threads=threads)
    expected = [
        margins_by_definition(triples, entity, relation, mu, norm, reading, at_tail=at_tail)
        for at_tail in (False, True)
    ]
    np.testing.assert_allclose(head, expected[0], atol=1e-9)
    np.testing.assert_allclose(tail, expected[1], atol=1e-9)


@pytest.mark.parametrize("reading", ["pairs", "spheres"])
@pytest.mark.parametrize("spread", [1.0, 30.0], ids=["even", "skew"])
def test_margins_round_a_hub_equal_the_definitions(reading, spread):
    rng = np.random.default_rng(5)
    n = 150
    ends = rng.integers(0, n, (600, 2)) * rng.integers(0, 2, (600, 1))
    ends[::2, 0] = 0
    triples = np.insert(ends, 1, rng.integers(0, 6, 600), axis=1)
    entity, relation = np.exp(spread * rng.random((n, 3))), rng.random((6, 3))
    found = adaptive_margins(triples, entity, relation, norm="l1", reading=reading)
    for margins, at_tail in zip(found, (False, True), strict=True):
        expected = margins_by_definition(
            triples, entity, relation, 0.5, "l1", reading, at_tail=at_tail
        )
        np.testing.assert_allclose(margins, expected, rtol=1e-9)


def test_active_tends_to_the_mean_over_all_entities_outside():
    rng = np.random.default_rng(2)
    triples = np.array([[0, 0, 1], [0, 0, 2], [0, 1, 3], [4, 1, 0]], dtype=np.int32)
    entity, relation = rng.normal(size=(9, 4)), rng.normal(size=(2, 4))
    head, _ = adaptive_margins(triples, entity, relation, mu=1, reading="active", rounds=200_000)
    away = np.abs(entity[0] - entity).sum(axis=1)
    expected = 0.0
    for positives in ([1, 2], [3]):
        others = [e for e in range(9) if e not in positives]
        expected += np.abs(away[others] - away[positives].max()).mean() / 2
    assert head[0] == pytest.approx(expected, rel=0.01)
    assert head[:3] == pytest.approx(head[0])


def test_active_is_the_same_for_the_same_seed():
    rng = np.random.default_rng(0)
    triples = np.stack(
        [rng.integers(0, 20, 50), rng.integers(0, 3, 50), rng.integers(0, 20, 50)], 1
    )
    vectors = rng.normal(size=(20, 3)), rng.normal(size=(3, 3))
    once, again, other = (
        adaptive_margins(triples, *vectors, reading="active", seed=seed)[0] for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(once, again)
    assert not np.array_equal(once, other)


def test_float32_stays_float32():
    vectors = np.eye(3, dtype=np.float32)
    head, tail = adaptive_margins(np.array([[0, 0, 1], [0, 1, 2]]), vectors, vectors)
    assert head.dtype == tail.dtype == np.float32


def test_no_triples_have_no_margins():
    head, tail = adaptive_margins(np.empty((0, 3), dtype=int), np.eye(2), np.eye(2))
    assert len(head) == len(tail) == 0


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"triples": np.array([[0, 0, 9]])}, InputError, "expected 0 to 1"),
        ({"triples": np.array([0, 0, 1])}, InputError, "shape"),
        ({"entity_vectors": np.full((2, 2), np.nan)}, InputError, "not finite"),
        ({"entity_vectors": np.zeros(4)}, InputError, "shape"),
        ({"reading": "circles"}, ConfigError, "pairs, spheres, active"),
        ({"norm": 3}, ConfigError, "norm is 1 or 2"),
        ({"mu": 1.5}, ConfigError, "mu is at most 1"),
    ],
)
def test_bad_input_is_refused_with_a_sentence(change, error, words):
    arguments = {
        "triples": np.array([[0, 0, 1]]),
        "entity_vectors": np.eye(2),
        "relation_vectors": np.eye(2),
    }
    with pytest.raises(error, match=words):
        adaptive_margins(**{**arguments, **change})


@pytest.mark.parametrize("threads", [0, 3])
def test_margins_are_the_same_on_any_number_of_threads(threads):
    rng = np.random.default_rng(1)
    triples = (rng.random((200, 3)) * [20, 4, 20]).astype(np.int32)
    tables = rng.normal(size=(20, 3)), rng.normal(size=(4, 3))
    for one, other in zip(
        adaptive_margins(triples, *tables),
        adaptive_margins(triples, *tables, threads=threads),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("wrong", [{"threads": -1}, {"seed": -1, "reading": "active"}])
def test_counts_and_seeds_that_are_none_are_refused(wrong):
    with pytest.raises(ConfigError, match=r"is not negative.*found -1"):
        adaptive_margins(np.array([[0, 0, 1]]), np.eye(2), np.eye(2), **wrong)
