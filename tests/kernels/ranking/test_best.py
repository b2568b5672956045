"""The best answers against a stable sort of energies that NumPy sums in the same order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transa.kernels.ranking.best import Asked, best_by_translation, best_of_energies
from transa.kernels.ranking.counting import BLOCK
from transa.ranking.screening import best_by_products


def energies_in_order(entity, shift, point, squared):
    """‖(e + shift) − point‖ of all entities in float32, dimension after dimension."""
    total = np.zeros(len(entity), dtype=np.float32)
    for x in range(entity.shape[1]):
        difference = (entity[:, x] + shift[x]) - point[x]
        total += difference * difference if squared else np.abs(difference)
    return total


def best_by_definition(rows, asked, k):
    ids = np.full((len(rows), k), -1)
    energies = np.full((len(rows), k), np.inf, dtype=np.float32)
    for q, row in enumerate(rows):
        out = {*asked.known[asked.known_start[q] : asked.known_stop[q]].tolist()}
        out |= set() if asked.loops else {int(asked.head[q])}
        order = [e for e in np.argsort(row, kind="stable").tolist() if e not in out][:k]
        ids[q, : len(order)], energies[q, : len(order)] = order, row[order]
    return ids, energies


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.sampled_from([1, 2, 7, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK + 5]),
    d=st.integers(1, 11),
    k=st.sampled_from([1, 3, 10, 400]),
    way=st.sampled_from(["l1", "sums", "products", "given"]),
    loops=st.booleans(),
    coarse=st.booleans(),
)
def test_the_best_are_the_first_of_a_stable_sort(seed, n, d, k, way, loops, coarse):
    rng = np.random.default_rng(seed)
    questions = int(rng.integers(1, 40))

    def vectors(rows):
        drawn = rng.normal(size=(rows, d)).astype(np.float32)
        # In coarse steps, ties are many.
        return np.round(drawn) if coarse else drawn

    entity, shifts, points = vectors(n), vectors(3), vectors(questions)
    shift_of = np.sort(rng.integers(0, 3, questions))
    known = [np.flatnonzero(rng.random(n) < 1 / 3) for _ in range(questions)]
    ends = np.cumsum([0, *map(len, known)])
    asked = Asked(
        rng.integers(0, n, questions),
        ends[:-1].copy(),
        ends[1:].copy(),
        np.concatenate(known).astype(np.int32),
        loops,
    )
    rows = np.stack(
        [
            energies_in_order(entity, shifts[shift_of[q]], points[q], way != "l1")
            for q in range(questions)
        ]
    )
    wanted_ids, wanted = best_by_definition(rows, asked, k)
    ids = np.full((questions, k), -1)
    best = np.full((questions, k), np.inf, dtype=np.float32)
    if way == "given":
        best_of_energies(rows, np.arange(n), asked, best, ids)
    elif way == "products":
        best_by_products(entity, points, shifts, shift_of, asked, best, ids)
    else:
        best_by_translation(entity, points, shifts, shift_of, way == "sums", asked, best, ids)
    np.testing.assert_array_equal(best, wanted)
    np.testing.assert_array_equal(ids, wanted_ids)


@pytest.mark.parametrize("squared", [False, True])
def test_what_was_found_before_is_kept(squared):
    entity = np.float32([[3], [1], [2]])
    nothing = np.zeros(1, dtype=np.int64)
    asked = Asked(nothing, nothing, nothing, np.empty(0, np.int32), True)
    best, ids = np.float32([[1.5, np.inf]]), np.array([[9, -1]])
    best_by_translation(
        entity, np.zeros((1, 1), np.float32), np.zeros((1, 1), np.float32), nothing, squared,
        asked, best, ids,
    )  # fmt: skip
    assert ids.tolist() == [[1, 9]]
