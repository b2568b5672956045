"""Counting kernels against energies that NumPy sums in the same order, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transa.kernels.ranking.counting import BLOCK, Questions, count_energies, count_translations


def energies_in_order(entity, shift, point, squared):
    """‖(e + shift) − point‖ of all entities in float32, dimension after dimension."""
    total = np.zeros(len(entity), dtype=np.float32)
    for x in range(entity.shape[1]):
        difference = (entity[:, x] + shift[x]) - point[x]
        total += difference * difference if squared else np.abs(difference)
    return total


def counts_by_definition(energies, answer, known):
    truth = energies[answer]
    others = np.array([k for k in known if k != answer], dtype=int)
    return [
        np.sum(energies < truth),
        np.sum(energies == truth),
        np.sum(energies[others] < truth),
        np.sum(energies[others] == truth),
    ]


def random_questions(rng, n_questions, n_entities):
    """Questions of 0 to 4 answers, among entities of which about a third are known."""
    sizes = rng.integers(0, 5, n_questions)
    known = [np.flatnonzero(rng.random(n_entities) < 1 / 3) for _ in range(n_questions)]
    ends = np.cumsum([0, *map(len, known)])
    return Questions(
        first=np.concatenate([[0], np.cumsum(sizes)]),
        answers=rng.integers(0, n_entities, sizes.sum()).astype(np.int32),
        known_start=ends[:-1].copy(),
        known_stop=ends[1:].copy(),
        known=np.concatenate(known).astype(np.int32),
    )


def expected_counts(rows, questions):
    expected = []
    for q, energies in enumerate(rows):
        known = questions.known[questions.known_start[q] : questions.known_stop[q]]
        answers = questions.answers[questions.first[q] : questions.first[q + 1]]
        expected += [counts_by_definition(energies, answer, known) for answer in answers]
    return np.array(expected, dtype=np.int64).reshape(-1, 4)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.sampled_from([1, 2, 7, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5]),
    d=st.integers(1, 11),
    n_questions=st.integers(0, 6),
    squared=st.booleans(),
    grid=st.booleans(),
)
def test_counts_equal_those_of_in_order_sums(seed, n, d, n_questions, squared, grid):
    rng = np.random.default_rng(seed)

    def vectors(rows):
        drawn = rng.integers(-2, 3, (rows, d)) if grid else rng.normal(size=(rows, d))
        return drawn.astype(np.float32)

    entity, points, shifts = vectors(n), vectors(n_questions), vectors(3)
    shift_of = np.sort(rng.integers(0, 3, n_questions))
    questions = random_questions(rng, n_questions, n) if n_questions else _no_questions()
    counts = np.zeros((len(questions.answers), 4), dtype=np.int64)
    count_translations(entity, points, shifts, shift_of, squared, questions, counts)

    rows = [
        energies_in_order(entity, shifts[shift_of[q]], points[q], squared)
        for q in range(n_questions)
    ]
    np.testing.assert_array_equal(counts, expected_counts(rows, questions))


def _no_questions():
    none = np.zeros(0, dtype=np.int64)
    ids = none.astype(np.int32)
    return Questions(np.zeros(1, dtype=np.int64), ids, none, none, ids)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 40))
def test_counts_of_given_energies(seed, n):
    rng = np.random.default_rng(seed)
    energies = rng.integers(0, 6, (4, n)).astype(np.float32)
    questions = random_questions(rng, 4, n)
    counts = np.zeros((len(questions.answers), 4), dtype=np.int64)
    count_energies(energies, questions, counts)
    np.testing.assert_array_equal(counts, expected_counts(energies, questions))


@pytest.mark.parametrize("squared", [False, True])
def test_heads_tails_and_triple_have_the_same_energy(squared):
    """Candidate energies of either side, at the true answer, tie with the triple's own."""
    rng = np.random.default_rng(0)
    n, d = 150, 13
    entity = rng.normal(size=(n, d)).astype(np.float32)
    relation = rng.normal(size=(1, d)).astype(np.float32)
    still, zero = np.zeros_like(relation), np.zeros(1, dtype=np.int64)
    for h, t in rng.integers(0, n, (20, 2)):
        for point, shift, answer in (
            (entity[h] + relation[0], still, t),
            (entity[t], relation, h),
        ):
            triple = energies_in_order(entity[[h]], relation[0], entity[t], squared)
            candidates = energies_in_order(entity, shift[0], point, squared)
            assert candidates[answer] == triple[0]
            everyone = np.arange(n, dtype=np.int32)
            questions = Questions(np.array([0, n]), everyone, zero, zero, everyone[:0])
            counts = np.zeros((n, 4), dtype=np.int64)
            count_translations(entity, point[None], shift, zero, squared, questions, counts)
            np.testing.assert_array_equal(counts[:, 0], np.argsort(np.argsort(candidates)))
