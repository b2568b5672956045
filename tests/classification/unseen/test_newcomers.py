"""Vectors for entities that training never had."""

from __future__ import annotations

import numpy as np
import pytest

from transa.classification.labelled import NumberedTriples
from transa.classification.unseen.newcomers import complete
from transa.errors import ConfigError
from transa.graph import Graph, Vocabulary
from transa.models import FittedModel, TransEEnergy

LABELS = ["red fox", "grey fox", "oak", "elm", "arctic fox", "fox hole", "yew"]


@pytest.fixture
def wood() -> Graph:
    """Foxes and trees; of the last three, valid has one and test another."""
    return Graph(
        train=np.array([[0, 0, 1], [1, 0, 0], [2, 1, 3], [3, 1, 2]]),
        valid=np.array([[6, 1, 2], [6, 1, 3], [0, 0, 1]]),
        test=np.array([[4, 0, 0]]),
        entities=Vocabulary("entity", LABELS),
        relations=Vocabulary("relation", ["kin", "near"]),
    )


@pytest.fixture
def parameters():
    """Foxes on one side, trees on the other; what was not learnt is far from both."""
    side = np.array([1, 1, -1, -1, 9, 9, 9], dtype=np.float32)
    return {
        "entity": np.stack([side, side / 2], axis=1),
        "relation": np.zeros((2, 2), dtype=np.float32),
    }


def completed(wood, parameters, unseen, *asked):
    heads, relations, tails = zip(*asked, strict=True)
    numbered = NumberedTriples.of(wood, heads, relations, tails)
    found = complete(FittedModel(TransEEnergy(2), parameters, wood), "ball", numbered, unseen)
    return numbered, found


ASKED = [("arctic fox", "kin", "red fox"), ("blue fox", "kin", "oak"), ("yew", "hates", "oak")]


def test_by_default_nothing_is_made_up(wood, parameters):
    numbered, found = completed(wood, parameters, "none", *ASKED, ("oak", "near", "elm"))
    assert found.are_answered(numbered).tolist() == [False, False, False, True]
    assert found.tables["entity"].base is parameters["entity"]


def test_words(wood, parameters):
    numbered, found = completed(wood, parameters, "words", *ASKED, ("xyz", "kin", "oak"))
    # An unknown relation, and a label that is like no other, stay without an answer.
    assert found.are_answered(numbered).tolist() == [True, True, False, False]
    arctic, blue = found.tables["entity"][[4, len(LABELS)]]
    np.testing.assert_allclose(arctic, [1, 0.5], atol=1e-6)
    np.testing.assert_allclose(blue, [1, 0.5], atol=1e-6)
    assert found.origins[4] == "estimated from 'red fox', 'grey fox'"
    np.testing.assert_array_equal(found.tables["entity"][:4], parameters["entity"][:4])
    assert not found.are_fitted_to(numbered).any()


def test_facts_are_those_of_validation_not_of_test(wood, parameters):
    numbered, found = completed(wood, parameters, "facts", *ASKED, ("yew", "near", "elm"))
    assert found.are_answered(numbered).tolist() == [False, False, False, True]
    assert found.are_fitted_to(numbered).tolist() == [False, False, True, True]
    yew, foxes, trees = found.tables["entity"][[6, 0, 2]]
    assert np.abs(yew - trees).sum() < np.abs(yew - foxes).sum()
    assert found.origins == {6: "fitted to its validation triples"}


def test_both(wood, parameters):
    numbered, found = completed(wood, parameters, "words+facts", *ASKED, ("yew", "near", "elm"))
    assert found.are_answered(numbered).tolist() == [True, True, False, True]
    assert found.are_fitted_to(numbered).tolist() == [False, False, True, True]


def test_what_is_asked_beside_changes_nothing(wood, parameters):
    _, alone = completed(wood, parameters, "words+facts", ASKED[0])
    _, among = completed(wood, parameters, "words+facts", *ASKED)
    np.testing.assert_array_equal(alone.tables["entity"][:7], among.tables["entity"][:7])


def test_an_unknown_treatment_is_refused(wood, parameters):
    with pytest.raises(ConfigError, match="unseen is one of none, words, facts, words"):
        completed(wood, parameters, "magic", ASKED[0])
