from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transa.errors import InputError, UnknownNameError
from transa.graph import Vocabulary

LABELS = st.lists(st.text(min_size=1, max_size=5), unique=True, min_size=1, max_size=20)


@given(LABELS)
def test_label_and_id_are_inverse(labels):
    vocabulary = Vocabulary("entity", labels)
    assert [vocabulary.id(label) for label in labels] == list(range(len(labels)))
    assert [vocabulary.label(i) for i in range(len(labels))] == labels
    assert vocabulary.ids(labels).tolist() == list(range(len(labels)))
    assert all(label in vocabulary for label in labels)


def test_a_name_stands_for_its_label_if_only_one_bears_it():
    vocabulary = Vocabulary("entity", ["m1", "m2", "m3"], ["Paris", "Paris", "Lyon"])
    assert vocabulary.id("Lyon") == 2
    assert "Paris" not in vocabulary
    assert vocabulary.display(0) == "Paris"


def test_without_a_name_the_label_is_shown():
    assert Vocabulary("entity", ["m1", "m2"], ["Paris", None]).display(1) == "m2"
    assert Vocabulary("entity", ["m1"]).display(0) == "m1"


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("france", "did you mean 'France'?"),
        ("Farnce", "did you mean 'France'?"),
        ("xyz", "there are 2, for example 'France'"),
    ],
)
def test_an_unknown_label_gets_a_suggestion(asked, hint):
    with pytest.raises(UnknownNameError) as caught:
        Vocabulary("entity", ["France", "Spain"]).id(asked)
    assert f"unknown entity {asked!r}" in str(caught.value)
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("labels", "names", "words"),
    [
        (["a", "a"], None, "the entity labels are not distinct"),
        (["a", ""], None, "one of the entity labels is empty"),
        (pl.Series(["a", None]), None, "one of the entity labels is empty"),
        (["a", "b"], ["A"], "1 names for 2 entity labels"),
    ],
)
def test_bad_labels(labels, names, words):
    with pytest.raises(InputError, match=words):
        Vocabulary("entity", labels, names)


def test_a_large_vocabulary_suggests_labels_that_begin_alike(monkeypatch):
    monkeypatch.setattr("transa.graph.vocabulary._MOST_COMPARED", 10)
    vocabulary = Vocabulary("entity", [f"{letter}land{i}" for letter in "XYZ" for i in range(9)])
    with pytest.raises(UnknownNameError, match="did you mean 'Yland") as told:
        vocabulary.id("Ylnd4")
    assert "Xland" not in str(told.value)
