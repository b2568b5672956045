"""New facts for a model that is trained, without starting over."""

from __future__ import annotations

import numpy as np
import pytest

import transa
from transa.errors import ConfigError, InputError
from transa.models import MODELS
from transa.models.energy import inverse_of

TOWNS = 24
NEW = [("new", "near", "t3"), ("t3", "near", "new"), ("new", "near", "t4"), ("t4", "near", "new")]


def facts():
    return [
        (f"t{i}", relation, f"t{j}")
        for i in range(TOWNS)
        for j in range(TOWNS)
        for relation, is_so in (("near", 0 < abs(i - j) < 4), ("next", j == i + 1))
        if is_so
    ]


@pytest.fixture(scope="module")
def road():
    return transa.from_labels(facts(), split=(0.9, 0.1, 0.0), name="road")


def model_of(name, road, **options):
    options = {"dim": 16, "epochs": 20, "threads": 1, "negatives": 16, **options}
    return transa.Estimator(name, **options).fit(road)


@pytest.fixture(scope="module")
def trained(road):
    return transa.TransE(epochs=40, threads=1).fit(road)


@pytest.fixture
def model(trained, tmp_path):
    trained.save(tmp_path / "model")
    return transa.load(tmp_path / "model")


@pytest.mark.parametrize("name", MODELS)
def test_every_model_takes_new_facts(road, name):
    options = {"validate_every": 0}
    model = model_of(name, road, **options)
    before = model.graph_
    model.partial_fit([*NEW, ("t0", "sister of", "new")] if name != "unstructured" else NEW)
    after = model.graph_
    assert after.n_entities == before.n_entities + 1
    assert after.entities.label(before.n_entities) == "new"
    assert all(np.isfinite(table).all() for table in model.parameters_.values())
    found = model.score_samples([*NEW, *(("new", "near", f"t{i}") for i in range(12, 22))])
    assert found[: len(NEW)].mean() > found[len(NEW) :].mean()
    assert len(model.predict_tails("new", "near", k=3)) == 3


@pytest.mark.parametrize("name", ["transe", "complex", "rescal"])
def test_inverses_keep_their_places(road, name):
    model = model_of(
        name, road, reciprocal=True, loss="softmax" if name != "transe" else "listwise"
    )
    before = model.parameters_["relation"].copy()
    model.partial_fit([("t1", "sister of", "t2"), ("t5", "sister of", "t6")])
    after = model.parameters_["relation"]
    assert len(after) == 2 * model.graph_.n_relations == len(before) + 2
    old = np.arange(2)
    inverse = inverse_of(model.model_.energy, model.parameters_, old)
    np.testing.assert_array_equal(after[old], before[:2])
    np.testing.assert_array_equal(after[inverse], before[2:])


def test_least_squares_go_on(road):
    model = model_of(
        "rescal", road, optimiser="als", loss="logistic", constraint="none", validate_every=0
    )
    before = model.score_samples(facts())
    model.partial_fit(NEW)
    assert np.corrcoef(before, model.score_samples(facts()))[0, 1] > 0.9
    assert model.score_samples(NEW).mean() > model.score_samples([("new", "near", "t20")])[0]


def test_what_has_nothing_to_do_with_it_stays(model, trained):
    model.partial_fit(NEW)
    entities = model.graph_.entities
    changed = (model.parameters_["entity"][:TOWNS] != trained.parameters_["entity"]).any(axis=1)
    assert {entities.label(i) for i in np.flatnonzero(changed)} <= {"t3", "t4"}
    np.testing.assert_array_equal(model.parameters_["relation"], trained.parameters_["relation"])
    assert trained.graph_.n_entities == TOWNS, "others that share it keep it as it was"


def test_the_new_is_known_and_near(model):
    model.partial_fit(NEW)
    near = [each.label for each in model.similar("new", k=6)]
    assert len({"t1", "t2", "t3", "t4", "t5", "t6"} & {*near}) >= 4
    assert [each.label for each in model.predict_tails("new", "near", k=2, known=True)]
    assert model.score(NEW) > 0.3


def test_facts_between_what_was_known_are_learnt(model):
    far = [("t2", "near", "t20"), ("t20", "near", "t2")]
    before = model.score_samples(far).mean()
    assert model.partial_fit(far).score_samples(far).mean() > before


def test_probabilities_are_fitted_anew_and_the_index_goes(model):
    before = model.probabilities_
    model.partial_fit(NEW)
    assert model.probabilities_ is not before
    assert model.learnt_.neighbours is None


def test_thresholds_stay_unless_a_relation_is_new(model):
    model.fit_thresholds()
    model.partial_fit(NEW)
    assert model.classify(NEW)[0].verdict is not None
    model.partial_fit([("t1", "sister of", "t2")])
    assert model.learnt_.classifier is None


def test_day_by_day(model, tmp_path):
    for day in range(3):
        model.partial_fit([(f"day {day}", "near", f"t{day}"), (f"t{day}", "near", f"day {day}")])
    model.save(tmp_path / "later")
    again = transa.load(tmp_path / "later")
    assert again.graph_.n_entities == TOWNS + 3
    assert again.score([("day 1", "near", "t1")]) > 0.1


def test_its_seed_decides(trained, tmp_path):
    trained.save(tmp_path / "model")
    one, other = (transa.load(tmp_path / "model").partial_fit(NEW) for _ in range(2))
    for name, table in one.parameters_.items():
        np.testing.assert_array_equal(table, other.parameters_[name])


def test_one_that_has_not_learnt_begins():
    model = transa.TransE(dim=4, epochs=2, threads=1).partial_fit(facts())
    assert len(model.graph_.train) == len(facts())
    assert model.partial_fit(NEW).graph_.n_entities == TOWNS + 1


def test_what_is_worse_on_validation_is_not_kept(model, trained, monkeypatch):
    from transa.training.updating import update

    monkeypatch.setattr(update, "_is_worse", lambda *_: True)
    model.partial_fit(NEW)
    np.testing.assert_array_equal(
        model.parameters_["entity"][:TOWNS], trained.parameters_["entity"]
    )


@pytest.mark.parametrize("stop_on", ["mrr", "mr", "accuracy"])
def test_worse_is_by_the_metric_of_the_run(road, stop_on):
    model = model_of("transe", road, stop_on=stop_on)
    assert model.partial_fit(NEW).graph_.n_entities == TOWNS + 1


@pytest.mark.parametrize(
    ("rows", "error", "words"),
    [
        ([facts()[0]], InputError, "none of the triples is new"),
        ([("a", "b")], InputError, "expected three labels"),
        ([], InputError, "has no rows"),
    ],
)
def test_what_cannot_be_learnt_is_refused(trained, rows, error, words):
    with pytest.raises(error, match=words):
        trained.partial_fit(rows)


def test_partitions_are_trained_anew(trained, monkeypatch):
    from transa.estimator import updating

    monkeypatch.setattr(updating, "PreparedGraph", transa.Graph)
    with pytest.raises(ConfigError, match="in partitions can't be updated"):
        trained.partial_fit(NEW)
