"""What entities of like names would say."""

from __future__ import annotations

import numpy as np
import pytest

from transa.classification.judge import Judge
from transa.classification.labelled import LabelledTriples, NumberedTriples
from transa.classification.unseen.namesakes import namesake_energies
from transa.graph import Graph, Vocabulary
from transa.models import FittedModel, TransEEnergy

ENERGY = TransEEnergy(dim=1)


@pytest.fixture
def people() -> Graph:
    return Graph(
        train=np.array([[0, 0, 3], [1, 0, 3], [2, 0, 4]]),
        entities=Vocabulary("entity", ["maria_bell", "maria_cole", "otto_dorn", "she", "xyzzy"]),
        relations=Vocabulary("relation", ["is"]),
        name="people",
    )


TABLES = {
    "entity": np.array([[1.0], [3.0], [10.0], [4.0], [5.0]], dtype=np.float32),
    "relation": np.array([[2.0]], dtype=np.float32),
}


def test_energies_are_those_of_the_namesakes(people):
    numbered = NumberedTriples.of(people, ["maria_bell", "otto_dorn"], ["is"] * 2, ["she"] * 2)
    found = namesake_energies(
        FittedModel(ENERGY, TABLES, people), TABLES, numbered, np.ones(2, dtype=bool)
    )
    # Only maria_cole shares a piece with maria_bell; nobody's name is like otto's, nor like "she".
    assert found[0] == pytest.approx([abs(3 + 2 - 4), abs(1 + 2 - 4)])
    assert found[1] == pytest.approx([abs(10 + 2 - 4)] * 2)


def test_what_is_not_answered_is_left_out(people):
    numbered = NumberedTriples.of(people, ["maria_bell", "stranger"], ["is"] * 2, ["she"] * 2)
    found = namesake_energies(
        FittedModel(ENERGY, TABLES, people), TABLES, numbered, np.array([True, False])
    )
    assert found[1].tolist() == [0, 0]


def test_names_tell_what_vectors_do_not():
    """Vectors say nothing of the newcomers' gender; those who share their first names do."""
    rng = np.random.default_rng(0)
    first = ["maria", "otto"]
    n = 400
    gender = rng.integers(0, 2, n)
    labels = [f"{first[g]}_{i:04x}" for i, g in enumerate(gender)]
    learnt = np.arange(n // 2)
    graph = Graph(
        train=np.concatenate(
            [
                np.stack([learnt, 0 * learnt, n + gender[learnt]], axis=1),
                np.stack([np.arange(n), np.ones(n, int), np.full(n, n)], axis=1),
            ]
        ).astype(np.int32),
        entities=Vocabulary("entity", [*labels, "she", "he"]),
        relations=Vocabulary("relation", ["is", "knows"]),
        name="people",
    )
    vectors = np.concatenate([np.where(gender, 5.0, -5.0), [-5.0, 5.0]])[:, None]
    vectors[n // 2 : n] = rng.normal(size=(n - n // 2, 1))
    tables = {"entity": vectors.astype(np.float32), "relation": np.zeros((2, 1), np.float32)}
    asked = np.arange(n // 2, n)
    rows = [(labels[i], "is", ("she", "he")[g], g == gender[i]) for i in asked for g in (0, 1)]
    valid = LabelledTriples.of(graph, rows[: len(rows) // 2])
    test = LabelledTriples.of(graph, rows[len(rows) // 2 :])
    judge = Judge(FittedModel(ENERGY, tables, graph), "none")
    accuracy = {
        kind: judge.test(judge.fit(valid, thresholds=kind), "test", test, 0).accuracy
        for kind in ("relation", "local", "names")
    }
    assert accuracy["relation"] < 0.65
    assert accuracy["names"] > 0.95
