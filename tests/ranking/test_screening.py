"""Counts by matrix products against counts by sums: the same, however close energies are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transa.kernels.ranking.counting import Questions, count_translations
from transa.ranking.screening import _libraries, count_by_products, one_thread_a_product

# Vectors with ties, with none, in a cluster where rounding decides, and some a thousand times as
# long as others.
KINDS = {
    "grid": lambda rng, shape: rng.integers(-2, 3, shape),
    "normal": lambda rng, shape: rng.normal(size=shape),
    "cluster": lambda rng, shape: 3 + 1e-4 * rng.normal(size=shape),
    "long": lambda rng, shape: rng.normal(size=shape) * 10 ** rng.uniform(0, 3, (shape[0], 1)),
}


def random_questions(rng, n_questions, n_entities):
    sizes = rng.integers(0, 4, n_questions)
    known = [np.flatnonzero(rng.random(n_entities) < 0.1) for _ in range(n_questions)]
    ends = np.cumsum([0, *map(len, known)])
    return Questions(
        first=np.concatenate([[0], np.cumsum(sizes)]),
        answers=rng.integers(0, n_entities, sizes.sum()).astype(np.int32),
        known_start=ends[:-1].copy(),
        known_stop=ends[1:].copy(),
        known=np.concatenate(known).astype(np.int32),
    )


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.sampled_from([1, 5, 511, 513, 1200]),
    d=st.integers(1, 40),
    n_questions=st.sampled_from([1, 16, 127, 129]),
    kind=st.sampled_from(sorted(KINDS)),
)
def test_counts_equal_those_of_sums(seed, n, d, n_questions, kind):
    rng = np.random.default_rng(seed)
    entity, points, shifts = (
        KINDS[kind](rng, (rows, d)).astype(np.float32) for rows in (n, n_questions, 3)
    )
    shift_of = np.sort(rng.integers(0, 3, n_questions))
    questions = random_questions(rng, n_questions, n)
    by_sums, by_products = (np.zeros((len(questions.answers), 4), np.int64) for _ in range(2))
    count_translations(entity, points, shifts, shift_of, True, questions, by_sums)
    count_by_products(entity, points, shifts, shift_of, questions, by_products)
    np.testing.assert_array_equal(by_products, by_sums)


def test_products_alone_would_not_do():
    """Else nothing above would show that the doubtful are looked at again."""
    rng = np.random.default_rng(0)
    entity = KINDS["cluster"](rng, (500, 30)).astype(np.float32)
    q, answer = entity[0], 1
    by_products = (q @ q) + np.einsum("ij,ij->i", entity, entity) - 2 * entity @ q
    by_sums = ((entity - q) ** 2).sum(axis=1)
    ranks = [np.count_nonzero(energies < energies[answer]) for energies in (by_products, by_sums)]
    assert ranks[0] != pytest.approx(ranks[1], abs=20)


def test_the_limit_lasts_until_the_last_has_left():
    def threads():
        of_blas = (each for each in _libraries().info() if each["user_api"] == "blas")
        return [library["num_threads"] for library in of_blas]

    with _libraries().limit(limits=2, user_api="blas"):
        before = threads()
        one, other = one_thread_a_product(), one_thread_a_product()
        one.__enter__()
        other.__enter__()
        one.__exit__(None, None, None)
        assert set(threads()) == {1}
        other.__exit__(None, None, None)
        assert threads() == before
