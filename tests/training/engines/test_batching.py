"""Batches by relation: nothing lost, and a step that sees one relation is the step it was."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transa.margins import Fixed
from transa.settings.config import make_settings
from transa.training.engines import autograd, batching, questions, softmax
from transa.training.loop import train


@given(st.lists(st.integers(0, 3), min_size=1, max_size=300), st.integers(1, 50))
def test_who_has_enough_stands_alone_in_batches_of_its_own(given_relations, size):
    relations = np.array(given_relations)
    order, starts = batching.together(relations, size)
    assert sorted(order) == list(range(len(relations)))
    assert (starts[0], starts[-1]) == (0, len(relations))
    for start, stop in pairwise(starts):
        batch = order[start:stop]
        assert 0 < len(batch) <= size
        assert (np.diff(batch[np.argsort(relations[batch], kind="stable")]) != 0).all()
        counts = {int((relations == relation).sum()) for relation in relations[batch]}
        assert len(set(relations[batch])) == 1 or max(counts) < batching.ENOUGH


def test_batches_of_a_relation_are_equally_large():
    _, starts = batching.together(np.zeros(100_000, dtype=np.int32), 60_000)
    assert len(starts) == 1 + -(-100_000 // (100_000 // batching.STEPS))
    assert set(np.diff(starts)) <= {389, 390}


def test_a_batch_is_no_larger_than_asked_for():
    _, starts = batching.together(np.zeros(100_000, dtype=np.int32), 64)
    assert max(np.diff(starts)) == 64


def test_a_small_graph_has_small_batches():
    _, starts = batching.together(np.zeros(100, dtype=np.int32), 64)
    assert starts == [0, 25, 50, 75, 100]


@pytest.mark.parametrize(
    ("model", "options"),
    [
        ("se", {"loss": "logistic", "negatives": 3}),
        ("ntn", {"loss": "logistic", "negatives": 3}),
        ("rescal", {"loss": "softmax", "negatives": 20}),
        ("slm", {"loss": "hinge", "negatives": 2, "l2": 0.1}),
        # Whose only penalty is the relation's own.
        ("lfm", {"loss": "softmax", "negatives": 20, "l2": 0.0, "sparsity": 0.1}),
    ],
)
def test_it_is_the_same_whether_a_relation_is_told_once_or_for_each(
    model, options, grid, monkeypatch
):
    settings = make_settings(
        model,
        dim=6,
        margin=Fixed(0),
        constraint="none",
        optimiser="sgd",
        lr=0.01,
        epochs=2,
        threads=1,
        validate_every=0,
        batch=40,
        **options,
    )
    monkeypatch.setattr(type(settings.energy), "by_relation", True)
    once = train(settings.energy, settings.recipe, grid).parameters
    for user in (autograd, questions):
        monkeypatch.setattr(user, "alone", lambda relations: relations)
    for_each = train(settings.energy, settings.recipe, grid).parameters
    assert softmax.batches is questions.batches
    for name, table in once.items():
        np.testing.assert_allclose(table, for_each[name], rtol=2e-4, atol=2e-5)
