"""The bound of theorem 1 and the lemmas that it rests on."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transa.errors import ConfigError
from transa.margins.risk_bound import (
    gap_bound,
    hinge_loss,
    loss_ceiling,
    second_moment_bound,
    stability,
)

positive = st.floats(0, 100)
counts = st.integers(1, 10**6)
chances = st.floats(0.001, 1)


@given(f_hat=positive, share=st.lists(st.floats(0, 1), min_size=3, max_size=3), margin=positive)
def test_lemma_1_no_other_corruption_changes_a_loss_by_more(f_hat, share, margin):
    f, one, other = (f_hat * part for part in share)
    change = abs(hinge_loss(f, one, margin) - hinge_loss(f, other, margin))
    assert change <= stability(f_hat) + 1e-9


@given(f_hat=positive, share=st.floats(0, 1), corrupted=positive, margin=positive)
def test_no_training_triple_has_a_greater_loss(f_hat, share, corrupted, margin):
    loss = hinge_loss(f_hat * share, corrupted, margin)
    assert 0 <= loss <= loss_ceiling(margin, f_hat) + 1e-9


@given(
    chance=st.lists(st.integers(1, 9), min_size=2, max_size=3),
    n=st.integers(1, 4),
    seed=st.integers(0, 10**6),
    ceiling=st.floats(0.1, 10),
)
def test_lemma_2_against_the_expectations_counted_out(chance, n, seed, ceiling):
    """Any algorithm whose loss depends on the counts of its sample, over a finite world."""
    kinds, p = len(chance), np.array(chance) / sum(chance)
    drawn = np.random.default_rng(seed)
    table: dict[tuple[int, ...], np.ndarray] = {}

    def losses(sample: tuple[int, ...]) -> np.ndarray:
        key = tuple(sorted(sample))
        if key not in table:
            table[key] = drawn.uniform(0, ceiling, kinds)
        return table[key]

    moment = change = 0.0
    for sample in itertools.product(range(kinds), repeat=n):
        weight = float(np.prod(p[list(sample)]))
        loss = losses(sample)
        moment += weight * (p @ loss - loss[list(sample)].mean()) ** 2
        for new in range(kinds):
            replaced = losses((new, *sample[1:]))
            change += weight * p[new] * abs(loss[sample[0]] - replaced[sample[0]])
    assert moment <= second_moment_bound(ceiling, n, change) + 1e-9


@given(margin=positive, f_hat=positive, n=counts, delta=chances)
def test_the_bound_is_the_formula_of_the_paper(margin, f_hat, n, delta):
    first = (margin + f_hat) ** 2 / (2 * n * delta)
    second = 6 * f_hat * (margin + f_hat) / delta
    assert gap_bound(margin, f_hat, n, delta) == pytest.approx(math.sqrt(first + second))


@given(margin=positive, more=st.floats(0.01, 10), f_hat=st.floats(0.01, 100), n=counts)
def test_the_bound_grows_with_the_margin_and_falls_with_the_triples(margin, more, f_hat, n):
    bound = gap_bound(margin, f_hat, n, 0.1)
    assert gap_bound(margin + more, f_hat, n, 0.1) > bound
    assert gap_bound(margin, f_hat, 2 * n, 0.1) < bound
    assert gap_bound(margin, f_hat, n, 0.2) < bound


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((-1.0, 1.0, 1, 0.1), "margin"),
        ((1.0, math.nan, 1, 0.1), "f_hat"),
        ((1.0, 1.0, 0, 0.1), "n is at least 1"),
        ((1.0, 1.0, 1, 0.0), "delta"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, said):
    with pytest.raises(ConfigError, match=said):
        gap_bound(*arguments)
