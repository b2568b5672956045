"""Reciprocal relations: an inverse with rows of its own, from training to questions."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import transa
from transa.errors import ConfigError
from transa.models.registry import MODELS
from transa.ranking import rank

WITH_RELATIONS = sorted(
    name for name, entry in MODELS.items() if "relation" in entry.energy.tables.values()
)
QUICK = {"reciprocal": True, "epochs": 2, "validate_every": 1, "threads": 1}


@pytest.fixture(scope="module")
def model(grid):
    return transa.Estimator("transe", **QUICK | {"epochs": 40, "dim": 16}).fit(grid)


@pytest.mark.parametrize("name", WITH_RELATIONS)
def test_every_model_is_trained_with_inverses(name, grid):
    fitted = transa.Estimator(name, dim=6, **QUICK).fit(grid)
    for table, of in fitted.model_.energy.tables.items():
        if of == "relation":
            rows = fitted.parameters_[table]
            assert len(rows) == 2 * grid.n_relations
    assert fitted.history_[-1].validation is not None
    assert len(fitted.predict_heads("left", "square 3", k=3)) == 3
    fitted.fit_thresholds()
    assert len(fitted.classify([("square 0", "right", "square 1")])) == 1


def test_heads_are_the_tails_of_the_inverse(model, grid):
    """By definition: f of (t, r⁻¹, e) for all e, without the known heads, and ranked."""
    entity, relation = (model.parameters_[name] for name in ("entity", "relation"))
    ranks = rank(model.model_, grid.valid, threads=1)
    for i, (h, r, t) in enumerate(grid.valid):
        far = np.abs(entity[t] + relation[r + grid.n_relations] - entity).sum(axis=1)
        true = {a for a, b, c in grid.known if b == r and c == t}
        better = sum(far[e] < far[h] for e in range(grid.n_entities) if e not in true)
        assert ranks.filtered.better[i, 0] == better
        ahead = np.abs(entity[h] + relation[r] - entity).sum(axis=1)
        true = {c for a, b, c in grid.known if a == h and b == r}
        better = sum(ahead[e] < ahead[t] for e in range(grid.n_entities) if e not in true)
        assert ranks.filtered.better[i, 1] == better


def test_questions_are_asked_as_ranks_are_counted(model, grid):
    found = model.predict_heads("right", "square 9", k=5, known=True)
    entity, relation = (model.parameters_[name] for name in ("entity", "relation"))
    far = np.abs(entity[9] + relation[0 + grid.n_relations] - entity).sum(axis=1)
    for answer in found:
        assert answer.score == pytest.approx(-far[grid.entities.id(answer.label)], rel=1e-5)


def test_the_score_of_a_triple_is_the_mean_of_both_ways(model, grid):
    entity, relation = (model.parameters_[name] for name in ("entity", "relation"))
    one = np.abs(entity[0] + relation[0] - entity[1]).sum()
    other = np.abs(entity[1] + relation[grid.n_relations] - entity[0]).sum()
    (score,) = model.score_samples([("square 0", "right", "square 1")])
    assert score == pytest.approx(-(one + other) / 2, rel=1e-5)


def test_it_learns(model):
    # To guess is a mean rank of some 24.
    assert model.evaluate("valid").filtered.mr < 8


def test_it_is_kept_and_handed_on(model, tmp_path):
    model.save(tmp_path / "model")
    loaded = transa.load(tmp_path / "model")
    assert loaded.settings.energy.reciprocal
    np.testing.assert_array_equal(loaded.parameters_["relation"], model.parameters_["relation"])
    loaded.export(tmp_path / "relations.parquet", "parquet", "relation")
    labels = pl.read_parquet(tmp_path / "relations.parquet")["label"].to_list()
    assert labels[0] == "right"
    assert labels[4] == "right⁻¹"
    larger = loaded.fold_in([("square new", "right", "square 3")])
    assert len(larger.predict_tails("square new", "right", k=2)) == 2


@pytest.mark.parametrize("option", [{"sampling": "bernoulli"}, {"tail_share": 0.9}])
def test_what_would_change_nothing_is_refused(option, grid):
    with pytest.raises(ConfigError, match="reciprocal relations every triple"):
        transa.Estimator("transe", **QUICK, **option).fit(grid)


def test_a_model_without_relations_has_no_inverses():
    with pytest.raises(ConfigError, match="unstructured has no relations"):
        transa.Estimator("unstructured", reciprocal=True)
