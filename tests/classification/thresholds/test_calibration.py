"""Probabilities from margins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from transa.classification.thresholds.calibration import (
    ENOUGH,
    Isotonic,
    Platt,
    fit_calibration,
    fit_isotonic,
    fit_platt,
)
from transa.classification.thresholds.reliability import Reliability
from transa.errors import ConfigError

# On a grid, since scikit-learn takes margins for the same that differ by less than rounding.
margins_ = st.one_of(st.integers(-4, 4), st.integers(-3200, 3200).map(lambda n: n / 64))
rows = st.lists(st.tuples(margins_, st.booleans()), min_size=1, max_size=60)


def columns(rows):
    margins, truth = zip(*rows, strict=True)
    return np.array(margins, dtype=float), np.array(truth)


@given(rows)
def test_isotonic_is_scikit_learns(rows):
    margins, truth = columns(rows)
    found = fit_isotonic(margins, truth)
    wanted = IsotonicRegression(out_of_bounds="clip").fit(margins, truth.astype(float))
    asked = np.concatenate([margins, np.linspace(-60, 60, 41)])
    np.testing.assert_allclose(found.probabilities(asked), wanted.predict(asked), atol=1e-9)


def noisy(n, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    margins = rng.normal(size=n) * scale
    return margins, rng.random(n) < 1 / (1 + np.exp(-(2 * margins / scale + 0.5)))


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_platt_is_the_likeliest_sigmoid_of_his_targets(scale):
    margins, truth = noisy(300, scale=scale)
    found = fit_platt(margins, truth)
    # Targets inside 0 and 1 are what each triple is with that weight, and is not with the rest.
    n_true, n_false = truth.sum(), (~truth).sum()
    targets = np.where(truth, (n_true + 1) / (n_true + 2), 1 / (n_false + 2))
    twice = np.concatenate([margins, margins])[:, None] / scale
    labels = np.repeat([1, 0], len(margins))
    wanted = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
    wanted.fit(twice, labels, sample_weight=np.concatenate([targets, 1 - targets]))
    assert found.slope * scale == pytest.approx(wanted.coef_[0, 0], rel=1e-4)
    assert found.intercept == pytest.approx(wanted.intercept_[0], abs=1e-4)


@given(rows)
def test_platt_never_falls_and_stays_finite(rows):
    margins, truth = columns(rows)
    found = fit_platt(margins, truth)
    probabilities = found.probabilities(np.linspace(-60, 60, 41))
    assert np.isfinite([found.slope, found.intercept]).all()
    assert (np.diff(probabilities) >= 0).all()
    assert ((probabilities >= 0) & (probabilities <= 1)).all()


def test_a_curve_of_its_own_needs_enough_of_both_labels():
    margins, truth = noisy(4 * ENOUGH)
    relations = np.zeros(len(margins), dtype=int)
    few = np.flatnonzero(truth)[: truth.sum() - ENOUGH + 1]
    relations[few] = 1
    assert set(fit_calibration(margins, relations, truth).own) == set()
    relations[few[0]] = 0
    assert set(fit_calibration(margins, relations, truth).own) == {0}


@pytest.mark.parametrize(("method", "kind"), [("platt", Platt), ("isotonic", Isotonic)])
def test_each_relation_has_its_own_curve_or_the_pooled_one(method, kind):
    margins, truth = noisy(600)
    relations = np.repeat([0, 1, 2], [300, 290, 10])
    truth[relations == 1] = ~truth[relations == 1]
    found = fit_calibration(margins, relations, truth, method)
    assert set(found.own) == {0, 1}
    assert isinstance(found.pooled, kind)
    asked = np.array([0.3, 0.3, 0.3, -np.inf])
    said = found.probabilities(asked, np.array([0, 1, 2, 2]))
    one = asked[:1]
    assert said[0] == found.own[0].probabilities(one)
    assert said[1] == found.own[1].probabilities(one)
    assert said[2] == found.pooled.probabilities(one)
    assert np.isnan(said[3])


def test_triples_without_an_energy_are_not_learnt_from():
    margins, truth = noisy(300)
    relations = np.zeros(300, dtype=int)
    wanted = fit_calibration(margins, relations, truth)
    more = np.append(margins, [-np.inf] * 50)
    found = fit_calibration(more, np.zeros(350, dtype=int), np.append(truth, [True] * 50))
    assert found == wanted


def test_an_unknown_method_is_refused():
    with pytest.raises(ConfigError, match="calibration is one of platt, isotonic; found 'beta'"):
        fit_calibration(np.zeros(1), np.zeros(1, int), np.ones(1, bool), "beta")


def test_reliability_by_hand():
    probabilities = np.array([0.1, 0.15, 0.95, 1.0, np.nan])
    truth = np.array([False, True, True, True, True])
    found = Reliability.of(probabilities, truth)
    assert found.counts.tolist() == [0, 2, 0, 0, 0, 0, 0, 0, 0, 2]
    assert found.predicted[[1, 9]] == pytest.approx([0.125, 0.975])
    assert found.observed[[1, 9]] == pytest.approx([0.5, 1.0])
    assert found.expected_error == pytest.approx((0.375 + 0.025) / 2)
    assert found.brier == pytest.approx((0.01 + 0.85**2 + 0.05**2) / 4)
    assert [row["count"] for row in found.to_dict()["bins"]] == [2, 2]
    assert Reliability.of(np.array([np.nan]), np.array([True])) is None
