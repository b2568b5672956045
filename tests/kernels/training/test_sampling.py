"""Corruptions round hubs, where nearly everything is known: who is drawn, and by how much work."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transa.graph.neighbourhoods import neighbourhoods
from transa.graph.sampling import draw, known_of
from transa.kernels.margins.active import draw_no_positive
from transa.kernels.random import generator_state
from transa.kernels.training import sampling
from transa.kernels.training.sampling import TRIES, draw_among

# What a draw adds to the state, and the number that undoes it modulo 2⁶⁴.
GOLDEN = 0x9E3779B97F4A7C15
UNDONE = pow(GOLDEN, -1, 1 << 64)
# χ² with so many degrees of freedom is above this once in ten thousand times.
CRITICAL = {2: 18.42, 99: 161.3}

EVERYONE = np.empty(0, np.int32)


def draw_outside(state, taken, start, stop, n):
    """Of all numbers below n, one that is not taken."""
    return draw_among(state, EVERYONE, 0, n, taken, start, stop)


def draws_between(before, after):
    return (int(after[0]) - int(before[0])) * UNDONE % (1 << 64)


def star(n):
    return np.array([[0, 0, t] for t in range(1, n + 1)], dtype=np.int32)


class Counted(list):
    """A list that counts how often it is read."""

    reads = 0

    def __getitem__(self, i):
        self.reads += 1
        return super().__getitem__(i)


@pytest.mark.parametrize("n", [10**2, 10**3, 10**4, 10**5])
@pytest.mark.parametrize("free", [1, 2, 10, 50])
def test_a_draw_reads_a_few_times_the_logarithm(monkeypatch, n, free):
    for inlined in ("contains", "nth"):
        monkeypatch.setattr(sampling, inlined, getattr(sampling, inlined).py_func)
    state, steps = generator_state(0), math.log2(n) + 1
    taken = Counted(range(free, n))
    values = Counted(range(n))
    for _ in range(20):
        before, taken.reads, values.reads = state.copy(), 0, 0
        assert draw_among.py_func(state, EVERYONE, 0, n, taken, 0, len(taken)) < free
        assert draw_among.py_func(state, values, 0, n, taken, 0, len(taken)) < free
        assert taken.reads <= 2 * (TRIES * (steps + 16) + steps)
        assert values.reads <= TRIES + steps + 1
        assert draws_between(before, state) <= 2 * (TRIES + 1)
        if free == 1 and n > 100:
            assert taken.reads <= 2 * steps


@pytest.mark.parametrize("n", [10**2, 10**3, 10**4, 10**5])
@pytest.mark.parametrize("same_position", [0.0, 1.0])
def test_draws_a_triple_of_a_star_do_not_grow_with_it(n, same_position):
    triples, k = star(n), 4
    known = known_of(triples, n + 1, 1, "uniform", same_position=same_position)
    before = generator_state(5)
    after = before.copy()
    sides, negatives = draw(triples, np.arange(n), known, k, after)
    # A coin, the chances of a place, what is drawn, and a share of the pool.
    assert draws_between(before, after) <= n * (1 + k + k * (TRIES + 1)) + 16 * (n // 64 + 1)
    assert (negatives[sides == 1] == 0).all()
    assert set(sides.tolist()) == {0, 1}


def test_a_full_side_takes_no_draw():
    state = generator_state(0)
    before = state.copy()
    everything = np.arange(1000, dtype=np.int32)
    assert draw_outside(state, everything, 0, 1000, 1000) == -1
    assert draw_among(state, everything, 0, 1000, everything, 0, 1000) == -1
    assert draws_between(before, state) == 0


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 300), st.sets(st.integers(0, 299), max_size=4), st.integers(0, 1000))
def test_all_but_few_are_taken(n, free, seed):
    free = {x for x in free if x < n}
    state = generator_state(seed)
    # Others stand before and behind those that count.
    taken = np.array([7, *sorted(set(range(n)) - free), 7], dtype=np.int32)
    stop = len(taken) - 1
    found = {draw_outside(state, taken, 1, stop, n) for _ in range(200)}
    assert found == (free or {-1})
    values = np.array([7, 7, *(3 * np.arange(n)), 7], dtype=np.int32)
    spread = 3 * taken
    found = {draw_among(state, values, 2, 2 + n, spread, 1, stop) for _ in range(200)}
    assert found == ({3 * x for x in free} or {-1})


@settings(max_examples=60, deadline=None)
@given(st.sets(st.integers(0, 60)), st.integers(1, 60), st.data())
def test_any_share_is_taken(taken, n, data):
    taken = {x for x in taken if x < n}
    values = sorted(taken | data.draw(st.sets(st.integers(0, n - 1))))
    state = generator_state(data.draw(st.integers(0, 1000)))
    sorted_taken = np.array(sorted(taken), dtype=np.int32)
    outside = set(range(n)) - taken or {-1}
    among = set(values) - taken or {-1}
    for _ in range(20):
        assert draw_outside(state, sorted_taken, 0, len(taken), n) in outside
        drawn = draw_among(
            state, np.array(values, np.int32), 0, len(values), sorted_taken, 0, len(taken)
        )
        assert drawn in among


@pytest.mark.parametrize(("n", "free"), [(400, [0, 5, 399]), (400, list(range(0, 400, 4)))])
def test_every_one_that_is_free_is_drawn_alike(n, free):
    state = generator_state(11)
    taken = np.setdiff1d(np.arange(n), free).astype(np.int32)
    values = np.arange(n, dtype=np.int32)
    around = neighbourhoods(
        np.stack([np.zeros_like(taken), np.zeros_like(taken), taken], axis=1), n, "head"
    )
    for drawing in (
        lambda: draw_outside(state, taken, 0, len(taken), n),
        lambda: draw_among(state, values, 0, n, taken, 0, len(taken)),
        lambda: draw_no_positive(around, 0, 0, n, state),
    ):
        times = 40 * len(free)
        counts = np.bincount([drawing() for _ in range(times)], minlength=n)
        assert counts[free].sum() == times
        assert ((counts[free] - 40.0) ** 2 / 40).sum() < CRITICAL[len(free) - 1]


def test_no_entity_is_outside_all_of_them():
    around = neighbourhoods(np.array([[0, 0, t] for t in range(50)], np.int32), 50, "head")
    assert draw_no_positive(around, 0, 0, 50, generator_state(0)) == -1
