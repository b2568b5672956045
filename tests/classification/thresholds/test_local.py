"""Thresholds that move with the entities."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from transa.classification.thresholds.calibration import ENOUGH
from transa.classification.thresholds.local import Shifts, fit_shifts


def labelled(n, weights, seed=0, noise=0.3):
    """Energies, surroundings and labels: true where f < 4 + weights · φ, about."""
    rng = np.random.default_rng(seed)
    around = rng.normal(size=(n, 2)) * [1.0, 3.0]
    energies = rng.normal(4, 2, size=n)
    truth = energies + rng.logistic(scale=noise, size=n) < 4 + around @ weights
    return energies, around, truth


def test_the_weights_that_made_the_labels_are_found():
    energies, around, truth = labelled(8000, [0.7, -0.4])
    found = fit_shifts(energies, around, np.zeros(8000, dtype=int), truth)
    assert found.own[0] == found.pooled == pytest.approx((0.7, -0.4), abs=0.05)


def test_the_weights_are_those_of_scikit_learn():
    energies, around, truth = labelled(300, [0.7, -0.4])
    inputs = np.column_stack([-energies, around])
    scaled = (inputs - inputs.mean(axis=0)) / inputs.std(axis=0)
    wanted = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(scaled, truth)
    weights = wanted.coef_[0] / inputs.std(axis=0)
    found = fit_shifts(energies, around, np.zeros(300, dtype=int), truth).own[0]
    assert found == pytest.approx(tuple(weights[1:] / weights[0]), rel=1e-3)


def test_a_relation_has_its_own_where_there_is_enough():
    energies, around, truth = (
        np.concatenate(parts)
        for parts in zip(labelled(600, [1, 0]), labelled(600, [0, 1], seed=1), strict=True)
    )
    few = np.flatnonzero(truth)[: len(np.flatnonzero(truth)) - ENOUGH + 1]
    relations = np.repeat([0, 1], 600)
    relations[np.setdiff1d(np.flatnonzero(truth), few)] = 2
    found = fit_shifts(energies, around, relations, truth)
    # Relation 2 has true triples alone.
    assert set(found.own) == {0, 1}
    assert found.own[0] != found.own[1]


def test_a_triple_without_an_energy_has_no_say():
    energies, around, truth = labelled(200, [0.7, -0.4])
    relations = np.zeros(200, dtype=int)
    wanted = fit_shifts(energies[10:], around[10:], relations[10:], truth[10:])
    energies[:10] = np.inf
    assert fit_shifts(energies, around, relations, truth) == wanted


def test_where_the_energy_tells_nothing_nothing_moves():
    energies, around, truth = labelled(400, [0.7, -0.4])
    assert fit_shifts(-energies, around, np.zeros(400, dtype=int), truth).pooled == (0.0, 0.0)


def test_what_does_not_vary_does_not_count():
    energies, around, truth = labelled(400, [0.7, 0.0])
    around[:, 1] = 5.0
    assert fit_shifts(energies, around, np.zeros(400, dtype=int), truth).own[0][1] == 0


def test_thresholds_move_by_the_weighted_surroundings():
    shifts = Shifts(pooled=(1.0, 0.0), own={1: (0.0, 2.0)})
    around = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
    assert shifts.of(around, np.array([0, 1, -1])).tolist() == [1.0, 40.0, 3.0]
