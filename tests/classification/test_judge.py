"""Estimators that judge triples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from transa import TransA
from transa.errors import InputError, NotFittedError
from transa.estimator import estimator_of
from transa.models import MODELS
from transa.settings.config import make_settings

VALID = [
    ("fr", "borders", "es", True),
    ("France", "borders", "Madrid", False),
    ("Spain", "borders", "Portugal", True),
    ("Spain", "borders", "Berlin", False),
]


@pytest.fixture
def judge(fitted):
    """The fitted model, with thresholds of its own."""
    return fitted.fold_in([("Monaco", "borders", "France")]).fit_thresholds(VALID)


def test_verdicts_follow_from_energy_and_threshold(judge):
    rows = [
        ("Spain", "borders", "Portugal"),
        ("Spain", "borders", "Berlin"),
        ("es", "capital", "fr"),
    ]
    found = judge.classify(rows)
    scores = judge.score_samples(rows)
    for row, verdict, score in zip(rows, found, scores, strict=True):
        assert (verdict.head, verdict.relation, verdict.tail) == row
        assert verdict.energy == -score
        assert verdict.verdict == (verdict.energy < verdict.threshold)
        assert 0 <= verdict.probability <= 1
    assert "its relation's threshold" in found[0].reason
    assert "the graph has it (train)" in found[0].reason
    assert "the graph has it" not in found[1].reason
    # Validation has no capitals.
    assert "all relations' threshold" in found[2].reason
    assert found[2].threshold == judge.classifier_.thresholds.pooled


def test_what_is_not_known_is_told_not_raised(judge):
    rows = [
        ("Narnia", "borders", "France"),
        ("Narnia", "borders", "Mordor"),
        ("France", "rules", "Spain"),
        ("France", "capital", "Paris"),
        ("Narnia", "borders", "Narnia"),
    ]
    found = judge.classify(rows)
    assert [row.reason for row in found] == [
        "entity 'Narnia' is unknown to this model",
        "entity 'Narnia' is unknown to this model; entity 'Mordor' is unknown to this model",
        "relation 'rules' is unknown to this model",
        "entity 'Paris' has no training triples, so that this model has not learnt it",
        "entity 'Narnia' is unknown to this model",
    ]
    for row in found:
        assert (row.verdict, row.probability, row.energy, row.threshold) == (None,) * 4


def test_a_treatment_answers_what_it_can(judge):
    judge.fit_thresholds(VALID, unseen="words")
    estimated, unknown = judge.classify(
        [("Frances", "borders", "Spain"), ("xyz", "borders", "Spain")]
    )
    assert estimated.verdict is not None
    assert "'Frances' is estimated from 'France'" in estimated.reason
    assert unknown.reason == "entity 'xyz' is unknown to this model"


def test_verdicts_print_and_convert(judge):
    found = judge.classify([("[Atlantis]", "borders", "Spain"), ("Narnia", "borders", "Spain")])
    text = str(found)
    assert "[Atlantis]" in text
    assert "unknown" in text
    frame = found.to_polars()
    assert frame["verdict"].dtype == pl.Boolean
    assert frame["verdict"].to_list() == [row.verdict for row in found]
    assert len(found.to_pandas()) == len(found) == 2
    assert found[:1] == (found[0],)
    assert len(judge.classify([])) == 0
    assert judge.classify([]).to_polars().is_empty()


def test_without_thresholds_there_is_no_verdict(fitted):
    with pytest.raises(NotFittedError, match="call fit_thresholds"):
        fitted.classify([("France", "borders", "Spain")])


def test_without_validation_triples_there_are_no_thresholds(fitted):
    model = fitted.fold_in([("Monaco", "borders", "France")])
    graph = replace(model.graph_, valid=np.empty((0, 3), dtype=np.int32))
    model._learnt = replace(model.learnt_, model=replace(model.model_, graph=graph))
    with pytest.raises(InputError, match="'atlas' has no valid triples"):
        model.fit_thresholds()
    assert model.fit_thresholds(VALID).classifier_.fitted_on == "given"


def test_the_split_is_judged_as_each_triple_is(judge):
    result = judge.fit_thresholds(seed=1).evaluate_classification("valid", seed=1)
    assert result.negatives == judge.classifier_.fitted_on == "made, seed 1"
    assert result.overall.count == 2 * len(judge.graph_.valid)
    label = judge.graph_.entities.label
    true = [(label(h), "borders", label(t)) for h, _, t in judge.graph_.valid]
    right = [row.verdict for row in judge.classify(true)]
    assert result.overall.recall == np.mean(right)


def test_facts_that_were_fitted_have_no_say_in_thresholds(atlas, fitted):
    model = fitted.fold_in([("Monaco", "borders", "France")])
    paris = ("fr", "capital", "Paris")
    graph = replace(atlas, valid=atlas.test)
    model._learnt = replace(fitted.learnt_, model=replace(fitted.model_, graph=graph))
    valid = [*VALID, (*paris, True), ("es", "capital", "Paris", False)]
    counts = {
        unseen: model.fit_thresholds(valid, unseen=unseen).classifier_.thresholds.counts.tolist()
        for unseen in ("none", "words", "facts")
    }
    assert counts["none"] == counts["facts"] == [4, 0]
    (verdict,) = model.classify([paris])
    assert "'Paris' is fitted to its validation triples" in verdict.reason


@pytest.mark.parametrize("name", sorted(MODELS))
def test_every_model_judges(name, atlas):
    settings = make_settings(name, dim=4, epochs=2, threads=1, validate_every=0)
    model = estimator_of(settings).fit(atlas).fit_thresholds(VALID, unseen="words+facts")
    told = model.classify([("France", "borders", "Spain"), ("Frances", "borders", "Spain")])
    assert all(row.verdict in (True, False) and 0 <= row.probability <= 1 for row in told)
    assert told[0].verdict == (told[0].energy < told[0].threshold)
    assert 0 <= model.evaluate_classification("valid").accuracy <= 1
    larger = model.fold_in([("Monaco", "borders", "France")])
    assert larger.classify([("Monaco", "borders", "Spain")])[0].energy is not None


def test_countries_are_told_from_chance():
    model = TransA(dim=30, epochs=40, threads=1, validate_every=0).fit("countries")
    found = model.fit_thresholds().evaluate_classification()
    # Half of the triples are true, so that chance gets half of them right.
    assert found.accuracy > 0.7
    assert found.overall.roc_auc > 0.75
    assert found.reliability.expected_error < 0.15
