"""Figures of judgements, held to scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from transa.classification.thresholds.binary_metrics import (
    BinaryMetrics,
    average_precision,
    bootstrap_interval,
    roc_auc,
)

rows = st.lists(
    st.tuples(st.booleans(), st.booleans(), st.one_of(st.integers(0, 4), st.floats(-5, 5))),
    min_size=1,
    max_size=50,
)


@given(rows)
def test_the_figures_are_scikit_learns(rows):
    truth, verdicts, scores = (np.array(column) for column in zip(*rows, strict=True))
    scores = scores.astype(float)
    found = BinaryMetrics.of(truth, verdicts, scores)
    assert (found.count, found.positives) == (len(truth), truth.sum())
    assert found.accuracy == pytest.approx(metrics.accuracy_score(truth, verdicts))
    if truth.any():
        assert found.recall == pytest.approx(metrics.recall_score(truth, verdicts))
        average = metrics.average_precision_score(truth, scores)
        assert found.average_precision == pytest.approx(average)
    if verdicts.any():
        assert found.precision == pytest.approx(metrics.precision_score(truth, verdicts))
    if verdicts.any() and truth.any():
        assert found.f1 == pytest.approx(metrics.f1_score(truth, verdicts))
    if truth.any() and not truth.all():
        assert found.roc_auc == pytest.approx(metrics.roc_auc_score(truth, scores))


def test_what_is_not_defined_is_none():
    yes, no, scores = np.array([True, True]), np.array([False, False]), np.array([1.0, 2.0])
    all_true = BinaryMetrics.of(yes, no, scores)
    assert (all_true.precision, all_true.f1, all_true.roc_auc) == (None, None, None)
    assert all_true.recall == 0
    all_false = BinaryMetrics.of(no, yes, scores)
    assert (all_false.recall, all_false.f1, all_false.average_precision) == (None, None, None)
    assert all_false.precision == 0


def test_infinite_scores_are_ties():
    truth = np.array([True, True, False, False])
    infinite = np.array([1.0, -np.inf, -np.inf, -np.inf])
    finite = np.array([1.0, -9.0, -9.0, -9.0])
    assert roc_auc(truth, infinite) == roc_auc(truth, finite) == 0.75
    assert average_precision(truth, infinite) == average_precision(truth, finite)


def test_the_interval_is_that_of_drawing_judgements_again():
    right = np.arange(400) < 300
    rng = np.random.default_rng(0)
    drawn = rng.choice(right, (4000, len(right))).mean(axis=1)
    low, high = bootstrap_interval(300, 400, seed=1)
    assert (low, high) == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.006)
    assert (low, high) == bootstrap_interval(300, 400, seed=1)
    assert bootstrap_interval(5, 5, seed=0) == (1.0, 1.0)
