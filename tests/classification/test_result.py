"""The report on judgements."""

from __future__ import annotations

import json

import numpy as np
import pytest

from transa.classification import LabelledTriples
from transa.classification.classifier import Classifier
from transa.classification.result import summarise
from transa.classification.thresholds.calibration import Calibration, Isotonic, Platt
from transa.classification.thresholds.per_relation import Thresholds
from transa.graph import Graph, Vocabulary
from transa.storage.judging import classifier_of

INF = float("inf")


@pytest.fixture
def towns() -> Graph:
    return Graph(
        train=np.array([[0, 0, 1], [1, 1, 2]]),
        entities=Vocabulary("entity", ["a", "b", "c"]),
        relations=Vocabulary("relation", ["near", "[far]"]),
        name="towns",
    )


@pytest.fixture
def classifier() -> Classifier:
    thresholds = Thresholds(2.0, np.array([1.0, 2.0]), np.array([4, 0]))
    return Classifier(thresholds, Calibration("platt", Platt(1.0, 0.0), {}), "none", "given")


@pytest.fixture
def result(towns, classifier):
    rows = [
        ("a", "near", "b", True),  # 0.5, right
        ("a", "near", "c", False),  # 0.75, wrong
        ("b", "near", "c", False),  # 1.0 is not below 1.0: right
        ("a", "[far]", "c", True),  # 1.5 is below the pooled threshold: right
        ("d", "near", "c", True),  # no energy: wrong
        ("a", "hates", "c", False),  # no energy: right
    ]
    labelled = LabelledTriples.of(towns, rows)
    energies = np.array([0.5, 0.75, 1.0, 1.5, INF, INF], dtype=np.float32)
    judged = classifier.judge(energies, labelled.triples[:, 1])
    return summarise(towns, "test", labelled, judged, classifier.thresholds)


def test_the_figures(result):
    assert result.accuracy == 4 / 6
    overall = result.overall
    assert (overall.precision, overall.recall) == (2 / 3, 2 / 3)
    # Scores 0.5, 0.25, 0, 0.5, −∞, −∞: of nine pairs, six are right and one is a tie.
    assert overall.roc_auc == pytest.approx(6.5 / 9)
    near, far = result.by_relation["near"], result.by_relation["[far]"]
    assert (near.count, near.positives, near.accuracy, near.threshold) == (4, 2, 0.5, 1.0)
    assert (far.count, far.accuracy, far.threshold, far.validation) == (1, 1.0, 2.0, 0)
    assert (result.seen.count, result.seen.accuracy) == (5, 4 / 5)
    assert (result.with_unseen.count, result.with_unseen.accuracy) == (1, 0)
    assert result.unanswered == 2
    assert result.problems.unknown_relations == 1
    assert result.problems.judged_by_fallback == 1


def test_as_json(result):
    found = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert list(found) == ["triple_classification"]
    body = found["triple_classification"]
    wanted = {"accuracy", "per_relation", "roc_auc", "average_precision", "precision", "recall"}
    assert wanted | {"f1", "interval", "problems", "calibration"} <= body.keys()
    assert body["accuracy"] == result.accuracy
    assert body["per_relation"]["near"]["accuracy"] == 0.5
    assert body["by_entities"]["unseen"] == {"count": 1, "accuracy": 0.0}
    low, high = body["interval"]
    assert low < body["accuracy"] < high
    assert body["problems"]["relations_without_validation"] == ["[far]"]
    assert body["calibration"]["brier"] > 0


def test_as_a_table(result):
    text = str(result)
    assert "towns, test split, 6 triples" in text
    assert "0.6667" in text
    assert "[far]" in text
    assert "all relations" in text
    assert "2 without an energy, held false" in text
    assert "repr" not in text
    assert repr(result) == "TripleClassification('towns', 'test': accuracy 0.6667)"


@pytest.mark.parametrize(
    ("method", "curve"),
    [("platt", Platt(0.5, -1.0)), ("isotonic", Isotonic((0.0, 1.5), (0.25, 0.75)))],
)
def test_a_classifier_comes_back_from_json(towns, method, curve):
    thresholds = Thresholds(0.1, np.array([0.3, 0.1]), np.array([7, 0]))
    was = Classifier(thresholds, Calibration(method, curve, {1: curve}), "words", "published")
    plain = json.loads(json.dumps(was.to_plain(towns.relations)))
    back = classifier_of(plain, towns.relations)
    assert back.calibration == was.calibration
    assert back.thresholds.pooled == 0.1
    assert back.thresholds.values.tolist() == [0.3, 0.1]
    assert back.thresholds.counts.tolist() == [7, 0]
    assert (back.unseen, back.fitted_on) == ("words", "published")
