"""What is chosen by the size of a graph: the rule, and when it keeps out of the way."""

from __future__ import annotations

import math

import numpy as np
import pytest

import transa
from transa.errors import ConfigError
from transa.margins import Adaptive, Fixed
from transa.models import MODELS
from transa.settings.by_size import (
    TYPICAL,
    GraphSize,
    fixed_settings,
    left_to_the_graph,
    rule,
    settings_for,
)
from transa.settings.config import make_settings, suited
from transa.training.engines import engine_for

SPARSE = GraphSize(87_000, 41_000, 0.35)
DENSE = GraphSize(272_000, 14_500, 0.38)
TWICE = GraphSize(483_000, 15_000, 0.81)


def test_a_pair_joined_twice_in_either_direction_is_counted():
    rows = [(0, 0, 1), (0, 1, 1), (2, 0, 3), (3, 0, 2), (4, 0, 5), (5, 0, 6), (7, 0, 7)]
    graph = transa.from_ids(np.array(rows, dtype=np.int32), split=None)
    size = GraphSize.of(graph)
    assert (size.triples, size.entities) == (7, 8)
    assert size.paired == pytest.approx(4 / 7, abs=1e-3)
    assert size.density == 7 / 8


@pytest.mark.parametrize("triples", [1, 1_000, 30_000, 300_000, 10**7, 10**9])
@pytest.mark.parametrize("density", [0.5, 3, 15, 100])
@pytest.mark.parametrize("paired", [0.0, 1.0])
def test_every_size_has_settings_that_are_legal(triples, density, paired):
    size = GraphSize(triples, max(2, int(triples / density)), paired)
    settings = settings_for("transe", {}, size).settings
    assert settings.recipe.margin == Fixed(0.0)
    assert 15 <= settings.recipe.epochs <= 60
    assert settings.recipe.block in (16, 64)


def test_what_is_to_be_learnt_decides():
    sparse, dense, twice = map(rule, (SPARSE, DENSE, TWICE))
    reach = [each["scale"] * each["dim"] ** 0.5 for each in (sparse, dense, twice)]
    assert reach == sorted(reach)
    assert sparse["logistic_share"] < dense["logistic_share"] <= twice["logistic_share"]
    assert sparse["epochs"] > dense["epochs"] > twice["epochs"]
    assert (sparse["lr_decay"], dense["lr_decay"]) == ("none", "linear")
    assert (sparse["block"], dense["block"]) == (16, 64)
    assert (sparse["dim"], sparse["constraint"]) == (200, "ball")
    assert (dense["dim"], dense["constraint"]) == (400, "ball")
    assert (twice["dim"], twice["constraint"]) == (400, "none")


def test_of_what_is_given_nothing_is_changed():
    given = {"dim": 50, "epochs": 3, "margin": 2.0, "negatives": 7}
    chosen = settings_for("transe", given, DENSE)
    recipe = chosen.settings.recipe
    assert (chosen.settings.energy.dim, recipe.epochs, recipe.negatives) == (50, 3, 7)
    assert recipe.margin == Fixed(2.0)
    assert recipe.scale == pytest.approx(rule(DENSE)["scale"] * math.sqrt(400 / 50), abs=0.02)
    assert "epochs" not in chosen.why
    assert "dimensions" not in chosen.why
    assert f"scale {recipe.scale:g}" in chosen.why
    assert settings_for("transe", {"scale": 3.0, "dim": 50}, DENSE).settings.recipe.scale == 3.0


def test_who_wants_patience_has_a_constant_rate():
    recipe = settings_for("transe", {"patience": 2}, DENSE).settings.recipe
    assert (recipe.patience, recipe.lr_decay) == (2, "none")


def test_transa_keeps_its_margin():
    chosen = settings_for("TransA", {}, DENSE).settings
    assert (chosen.model, chosen.recipe.margin) == ("transa", Adaptive())
    assert chosen.recipe.loss == "listwise"


@pytest.mark.parametrize(
    "given",
    [
        {"loss": "hinge"},
        {"loss": "logistic", "epochs": 3},
        {"adversarial": 0.5},
        {"gamma": 10.0},
        {"sampling": "bernoulli"},
        {"same_position": 0.5},
        {"norm": "l2"},
        {"optimiser": "sgd"},
        {"engine": "autograd"},
        {"constraint": "sphere"},
        {"reciprocal": False},
    ],
    ids=str,
)
def test_where_another_loss_is_meant_the_fixed_defaults_count(given):
    chosen = settings_for("transe", given, DENSE)
    assert chosen.settings == make_settings("transe", **given)
    assert chosen.why == ""


WITH_RULES = {"distmult", "complex", "rescal", "rotate"}


@pytest.mark.parametrize("model", sorted(MODELS.keys() - {"transa", "transe"} - WITH_RULES))
def test_other_models_have_their_fixed_defaults(model):
    assert settings_for(model, {}, DENSE).settings == make_settings(model)
    assert left_to_the_graph(model) == {"dim"}


@pytest.mark.parametrize("model", sorted(WITH_RULES))
def test_a_model_may_have_a_rule_of_its_own(model):
    chosen = settings_for(model, {"epochs": 3}, DENSE)
    settings = chosen.settings
    by_rule = MODELS[model].energy.by_size(DENSE.entities, DENSE.triples, DENSE.paired)
    assert make_settings(model, **{**by_rule, "epochs": 3}) == settings
    assert settings.recipe.epochs == 3
    assert "epochs" not in chosen.why
    assert f"dim {settings.energy.dim}" in chosen.why
    assert left_to_the_graph(model) == {"dim", *by_rule}
    said = repr(transa.Estimator(model, dim=5, seed=3))
    assert said.startswith(f"Estimator('{model}', dim=5, ")
    assert not {"lr", "epochs", "reciprocal"} & set(said.replace("=", " ").split())
    # Small graphs, other ways to train and who wants patience.
    assert settings_for(model, {}, GraphSize(1_600, 14)).settings == make_settings(model)
    other = {"optimiser": "sgd", "lr": 0.5}
    assert settings_for(model, other, DENSE).settings == make_settings(model, **other)
    assert settings_for(model, {"patience": 3}, DENSE).settings.recipe.lr_decay == "none"


@pytest.mark.parametrize("model", sorted(WITH_RULES))
@pytest.mark.parametrize("triples", [20_000, 300_000, 10**7, 10**9])
@pytest.mark.parametrize("density", [0.5, 3, 100])
def test_the_rules_of_models_are_legal(model, triples, density):
    size = GraphSize(triples, int(triples / density))
    settings = settings_for(model, {}, size).settings
    engine_for(settings.energy, settings.recipe)


def test_a_file_means_what_it_meant():
    settings = fixed_settings("transa", {"lr": 0.3}, DENSE).settings
    assert settings == make_settings("transa", lr=0.3)
    small = fixed_settings("transa", {}, GraphSize(2_700, 1_600)).settings
    assert small == suited(make_settings("transa"), 1_600, 2_700)


def test_without_a_graph_a_typical_one_is_shown():
    assert settings_for("transe", {}).settings == settings_for("transe", {}, TYPICAL).settings


@pytest.mark.parametrize("wrong", [{"loss": "hing"}, {"nosuch": 1}, {"dim": -1}])
def test_what_is_wrong_is_refused_as_ever(wrong):
    with pytest.raises(ConfigError):
        settings_for("transe", wrong, DENSE)
    with pytest.raises(ConfigError, match="no model"):
        settings_for("nosuch", {}, DENSE)


@pytest.mark.parametrize("way", [{"engine": "autograd"}, {"device": "cuda"}])
def test_a_model_without_products_has_another_loss_where_no_step_is_by_hand(way):
    assert settings_for("rotate", {}).settings.recipe.loss == "softmax"
    assert settings_for("rotate", way).settings.recipe.loss == "logistic"
    assert settings_for("complex", way).settings.recipe.loss == "softmax"
