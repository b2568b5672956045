"""Metrics of ranks that are summed up by hand."""

from __future__ import annotations

import numpy as np
import pytest

from transa.models import FittedModel, TransEEnergy
from transa.ranking import Metrics, quick_metrics, rank


def test_metrics_by_hand():
    metrics = Metrics.of(np.array([[1.0, 2.5], [4.0, 20.0]]))
    assert metrics.count == 4
    assert metrics.mr == pytest.approx(27.5 / 4)
    assert metrics.mrr == pytest.approx((1 + 0.4 + 0.25 + 0.05) / 4)
    assert (metrics.hits_at_1, metrics.hits_at_3, metrics.hits_at_10) == (0.25, 0.5, 0.75)


def test_a_rank_between_two_hits_only_the_larger():
    assert Metrics.of(np.array([1.5])).hits_at_1 == 0
    assert Metrics.of(np.array([10.0])).hits_at_10 == 1


def test_keys_in_json():
    keys = set(Metrics.of(np.ones(3)).to_dict())
    assert keys == {"count", "mr", "mrr", "hits@1", "hits@3", "hits@10"}


def test_quick_metrics_are_the_filtered_realistic_ones(graph, parameters):
    model = FittedModel(TransEEnergy(8), parameters, graph)
    ranks = rank(model, graph.valid).filtered.ranks("realistic")
    assert quick_metrics(model, graph.valid) == Metrics.of(ranks)
