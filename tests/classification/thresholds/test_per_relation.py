"""Thresholds against a search over all of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transa.classification.thresholds.per_relation import cross_fitted_accuracy, fit_thresholds
from transa.errors import InputError

N_RELATIONS = 4


def right_by_search(energies: np.ndarray, truth: np.ndarray) -> int:
    """The most right judgements that any threshold gets: at each energy, and above them all."""
    candidates = np.append(np.unique(energies), np.inf)
    return max(int(((energies < c) == truth).sum()) for c in candidates)


def right(energies: np.ndarray, truth: np.ndarray, threshold: float) -> int:
    in_double = energies < np.float64(threshold)
    assert (in_double == (energies < energies.dtype.type(threshold))).all()
    return int((in_double == truth).sum())


# Few distinct values give ties; neighbouring floats leave no room between them.
values = st.one_of(
    st.integers(0, 5).map(float),
    st.floats(-100, 100, width=32),
    st.sampled_from([1.0, float(np.nextafter(1.0, 2.0)), float(np.nextafter(1.0, 0.0))]),
)
rows = st.lists(
    st.tuples(values, st.integers(0, N_RELATIONS - 1), st.booleans()), min_size=1, max_size=60
)


@given(rows, st.sampled_from([np.float32, np.float64]))
def test_no_threshold_judges_more_triples_rightly(rows, dtype):
    energies, relations, truth = (np.array(column) for column in zip(*rows, strict=True))
    energies = energies.astype(dtype)
    found = fit_thresholds(energies, relations, truth, N_RELATIONS)
    assert right(energies, truth, found.pooled) == right_by_search(energies, truth)
    for relation in range(N_RELATIONS):
        own = relations == relation
        assert found.counts[relation] == own.sum()
        if own.any():
            most = right_by_search(energies[own], truth[own])
            assert right(energies[own], truth[own], found.values[relation]) == most
        else:
            assert found.values[relation] == found.pooled


def fit_one(energies, truth):
    relations = np.zeros(len(energies), dtype=int)
    return fit_thresholds(np.array(energies), relations, np.array(truth, bool), 1).values[0]


def test_between_two_energies_it_is_their_midpoint():
    assert fit_one([1.0, 2.0, 5.0, 6.0], [1, 1, 0, 0]) == 3.5
    assert fit_one([6.0, 1.0, 5.0, 2.0], [0, 1, 0, 1]) == 3.5


def test_at_the_ends():
    assert fit_one([1.0, 2.0], [0, 0]) == 1.0
    assert fit_one([1.0, 2.0], [1, 1]) == np.nextafter(2.0, 3.0)


def test_of_equally_accurate_ones_the_middle_is_taken():
    # Cuts at 1.5, 3.5 and 5.5 judge one triple wrongly each.
    assert fit_one([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1, 0, 1, 0, 1, 0]) == 3.5
    # Nothing true, or everything: the lower.
    assert fit_one([1.0, 2.0], [0, 1]) == 1.0


def test_equal_energies_are_never_cut():
    assert fit_one([1.0, 1.0, 1.0, 2.0], [1, 1, 0, 0]) == 1.5


def test_a_triple_without_an_energy_has_no_say():
    energies, truth = np.array([1.0, np.inf, 2.0, np.inf]), np.array([True, True, False, False])
    found = fit_thresholds(energies, np.array([0, 0, 0, 1]), truth, 2)
    assert found.values.tolist() == [1.5, 1.5]
    assert found.counts.tolist() == [2, 0]
    margins = found.margins(energies, np.array([0, 0, 0, 1]))
    assert margins.tolist() == [0.5, -np.inf, -0.5, -np.inf]


def test_nothing_to_fit_on_is_refused():
    nothing = np.array([np.inf]), np.array([0]), np.array([True])
    with pytest.raises(InputError, match="thresholds need labelled validation triples"):
        fit_thresholds(*nothing, 1)
    with pytest.raises(InputError, match="not a number"):
        fit_thresholds(np.array([np.nan]), np.array([0]), np.array([True]), 1)


def test_cross_fitted_accuracy_judges_what_was_not_fitted_on():
    rng = np.random.default_rng(0)
    truth = np.tile([True, False], 400)
    noise = rng.normal(size=800)
    one = np.zeros(800, dtype=int)
    half = np.arange(800) // 2 % 2 == 0
    # Nothing to be known: thresholds of many relations fit chance, and are right by chance alone.
    many = rng.integers(0, 100, 800)
    fitted = fit_thresholds(noise, many, truth, 100)
    assert ((fitted.margins(noise, many) > 0) == truth).mean() > 0.65
    assert abs(cross_fitted_accuracy(noise, many, truth, half, 100) - 0.5) < 0.06
    assert cross_fitted_accuracy(np.where(truth, 1.0, 2.0), one, truth, half, 1) == 1
    # True triples of one half are as low as the false ones of the other.
    moved = np.where(truth, 1.0, 2.0) + 10 * ~half
    assert cross_fitted_accuracy(moved, one, truth, half, 1) == 0.5
