"""Entities added to a trained model."""

from __future__ import annotations

import numpy as np
import pytest

import transa
from transa.errors import InputError

NEW = [
    ("Monaco", "borders", "France"),
    ("France", "borders", "Monaco"),
    ("Monaco", "capital", "Monte Carlo"),
]


@pytest.fixture(scope="module")
def larger(fitted):
    return fitted.fold_in([*NEW, ("France", "borders", "Spain")])


def test_the_old_model_is_as_it_was(fitted, larger):
    assert fitted.graph_.n_entities == 12
    assert larger.graph_.n_entities == 14
    np.testing.assert_array_equal(larger.parameters_["entity"][:12], fitted.parameters_["entity"])
    np.testing.assert_array_equal(larger.parameters_["relation"], fitted.parameters_["relation"])
    assert larger.graph_.entities.label(12) == "Monaco"
    assert larger.graph_.entities.display(0) == "France"


def test_what_is_known_grows_by_what_is_new(fitted, larger):
    assert len(larger.graph_.train) == len(fitted.graph_.train) + len(NEW)
    np.testing.assert_array_equal(larger.graph_.test, fitted.graph_.test)
    assert larger.predict_tails("Monaco", "borders", k=12, known=True)[0].label in (
        larger.graph_.entities
    )


def test_its_triples_are_more_plausible_than_chance(larger):
    others = [("Monaco", "borders", name) for name in larger.graph_.entities.labels]
    assert larger.score_samples([NEW[0]])[0] > np.median(larger.score_samples(others))


def test_it_is_kept(larger, tmp_path):
    larger.fit_thresholds().save(tmp_path / "model")
    back = transa.load(tmp_path / "model")
    np.testing.assert_array_equal(back.score_samples(NEW), larger.score_samples(NEW))
    assert back.classify(NEW).to_dicts() == larger.classify(NEW).to_dicts()
    assert back.classify(NEW)[0].verdict is not None


def test_an_entity_that_only_test_has_is_new_too(fitted):
    # 'p a' is Paris, which no training triple has.
    larger = fitted.fold_in([("fr", "capital", "Paris")])
    assert larger.graph_.n_entities == 12
    changed = (larger.parameters_["entity"] != fitted.parameters_["entity"]).any(axis=1)
    assert np.flatnonzero(changed).tolist() == [fitted.graph_.entities.id("Paris")]


@pytest.mark.parametrize(
    ("triples", "words"),
    [
        ([("Monaco", "rules", "France")], "triple 1 has the relation 'rules'"),
        ([("France", "borders", "Spain")], "none of the triples has an entity that is new"),
        ([], "none of the triples"),
        (["abc"], "row 0: expected three labels"),
        ([("Monaco", "borders")], "row 0: expected three labels"),
    ],
)
def test_what_cannot_be_added_is_refused(fitted, triples, words):
    with pytest.raises(InputError, match=words):
        fitted.fold_in(triples)
