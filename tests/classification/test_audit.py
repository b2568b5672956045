"""Labelled triples, and what is wrong with them."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest

from transa.classification import LabelledTriples, labelled_split
from transa.classification.audit import audit
from transa.classification.labelled import NumberedTriples
from transa.datasets import load
from transa.errors import InputError
from transa.graph import Graph, Vocabulary


@pytest.fixture
def family() -> Graph:
    """Four people and two relations; dora occurs in valid alone."""
    return Graph(
        train=np.array([[0, 0, 1], [1, 0, 2]]),
        valid=np.array([[0, 0, 3]]),
        entities=Vocabulary("entity", ["ann", "bob", "cat", "dora"], ["Ann", None, "Cat", "Cat"]),
        relations=Vocabulary("relation", ["likes", "knows"]),
        name="family",
    )


def test_labels_and_names_are_numbered_and_strangers_too(family):
    found = NumberedTriples.of(
        family, ["ann", "eve", "Cat"], ["likes", "likes", "hates"], ["Ann", "fay", "eve"]
    )
    # Two are called Cat, so that the name is a stranger's.
    assert found.strangers == ("eve", "Cat", "fay")
    assert found.triples.tolist() == [[0, 0, 0], [4, 0, 6], [5, -1, 4]]
    assert [found.name(family, i) for i in (0, 1, 4)] == ["Ann", "bob", "eve"]


def test_rows_that_are_no_labelled_triples_are_refused(family):
    with pytest.raises(InputError, match="at least one is needed"):
        LabelledTriples.of(family, [])
    for bad in [("ann", "likes", "bob"), ("ann", "likes", "bob", "yes")]:
        with pytest.raises(InputError, match="a labelled triple is"):
            LabelledTriples.of(family, [bad])


def test_every_problem_is_counted(family):
    labelled = LabelledTriples.of(
        family,
        [
            ("ann", "likes", "bob", True),  # in train
            ("ann", "likes", "cat", True),
            ("ann", "likes", "cat", True),  # repeated
            ("ann", "likes", "cat", False),  # and said to be false
            ("bob", "likes", "cat", False),  # in train
            ("bob", "likes", "eve", False),  # a stranger
            ("bob", "likes", "eve", False),  # and repeated
            ("dora", "knows", "ann", True),  # not in train; a relation without validation
            ("ann", "hates", "bob", False),  # no such relation
        ],
    )
    found = asdict(audit(family, labelled, np.array([True, False])))
    assert found == {
        "unseen_entities": 2,
        "positives_with_unseen": 1,
        "negatives_with_unseen": 2,
        "negatives_in_train": 1,
        "negatives_also_positive": 1,
        "positives_in_train": 1,
        "repeated_positives": 1,
        "repeated_negatives": 1,
        "unknown_relations": 1,
        "relations_without_validation": ("knows",),
        "judged_by_fallback": 1,
        "left_out": 0,
    }


@pytest.mark.parametrize(
    ("name", "split", "wanted"),
    [
        ("wn11", "valid", {"negatives_in_train": 1, "repeated_positives": 3}),
        (
            "wn11",
            "test",
            {
                "positives_with_unseen": 800,
                "negatives_with_unseen": 542,
                "negatives_in_train": 7,
                "negatives_also_positive": 1,
                "repeated_positives": 51,
                "repeated_negatives": 2,
            },
        ),
        ("fb13", "valid", {"negatives_in_train": 10, "negatives_also_positive": 1}),
        (
            "fb13",
            "test",
            {"negatives_in_train": 40, "negatives_also_positive": 12, "repeated_negatives": 2},
        ),
        ("codex-s", "test", {"negatives_in_train": 0, "negatives_also_positive": 0}),
    ],
)
def test_what_the_published_files_get_wrong(name, split, wanted, datasets, monkeypatch):
    monkeypatch.setenv("TRANSA_DATA", str(datasets))
    graph = load(name)
    valid, asked = labelled_split(graph, "valid"), labelled_split(graph, split)
    validated = np.isin(np.arange(graph.n_relations), valid.triples[:, 1])
    found = asdict(audit(graph, asked, validated))
    assert asked.source == "published"
    assert {problem: found[problem] for problem in wanted} == wanted
    assert len(found["relations_without_validation"]) == {"wn11": 0, "fb13": 6, "codex-s": 7}[name]


def test_false_triples_are_made_where_none_are_published():
    graph = load("countries")
    found = labelled_split(graph, "test", seed=3)
    assert found.source == "made, seed 3"
    assert found.left_out == 0
    assert found.truth.tolist() == [True, False] * len(graph.test)
    np.testing.assert_array_equal(found.triples[found.truth], graph.test)


def test_a_users_graph_of_the_same_name_is_not_taken_for_the_published_one():
    graph = replace(load("countries"), name="wn11")
    assert labelled_split(graph, "valid").source == "made, seed 0"


def test_a_split_without_triples_is_refused(family):
    with pytest.raises(InputError, match="'family' has no test triples"):
        labelled_split(family, "test")


def test_triples_of_which_no_false_one_can_be_made_are_left_out():
    graph = Graph(
        train=np.array([[0, 0, 1], [0, 1, 1], [1, 1, 0]]),
        valid=np.array([[0, 0, 1], [0, 1, 1]]),
        entities=Vocabulary("entity", ["a", "b"]),
        relations=Vocabulary("relation", ["one", "two"]),
    )
    found = labelled_split(graph, "valid")
    assert found.left_out == 1
    assert found.triples[0].tolist() == [0, 1, 1]
    assert found.triples[1].tolist() in ([1, 1, 1], [0, 1, 0])
