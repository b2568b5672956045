"""Estimators before they learn: what they are given, and give back."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import transa
from transa import Adaptive, Fixed, Recipe, TransA, TransE
from transa.errors import (
    ConfigError,
)
from transa.settings.config import make_settings, suited


def test_a_constructor_keeps_what_it_was_given():
    model = TransE(dim=20, norm="l2", margin=2, lr=0.5, seed=3)
    assert (model.settings.energy.dim, model.settings.energy.norm) == (20, "l2")
    recipe = model.settings.recipe
    assert (recipe.margin, recipe.lr, recipe.seed) == (Fixed(2.0), 0.5, 3)
    assert recipe.epochs == Recipe().epochs, "of the L2 norm no rule knows"
    assert isinstance(TransA().settings.recipe.margin, Adaptive)
    assert TransE(margin=Adaptive(mu=0.5)).settings.recipe.margin == Adaptive(mu=0.5)


@pytest.mark.parametrize(
    "model",
    [
        TransA(),
        TransE(dim=5, margin=2, lr="1e-2"),
        TransA(margin=Adaptive(mu=0.3)),
        TransE(loss="logistic", negatives=128),
        TransE(scale=2.0, adversarial=0.25),
        transa.Estimator("ntn", slices=3, epochs=7),
    ],
    ids=repr,
)
def test_estimators_are_cloned_as_in_scikit_learn(model):
    twin = clone(model)
    assert type(twin) is type(model)
    assert (twin.settings, repr(twin)) == (model.settings, repr(model))
    assert type(model)(**model.get_params()).settings == model.settings
    assert set(model.get_params()) >= {*make_settings(model.settings.model).by_name}


def test_params_can_be_set():
    model = TransA(dim=7)
    assert model.set_params(lr=0.3, epochs=2) is model
    assert repr(model) == "TransA(dim=7, norm='l1', lr=0.3, epochs=2)"
    assert repr(model.set_params(dim=None)) == "TransA(norm='l1', lr=0.3, epochs=2)"
    with pytest.raises(ConfigError, match="did you mean 'epochs'"):
        model.set_params(epoch=1)
    assert model.get_params()["epochs"] == 2


def test_fit_leaves_the_settings_as_asked(atlas, tmp_path):
    model = TransA(epochs=1, validate_every=0, threads=1)
    asked = model.settings
    model.fit(atlas)
    assert model.settings == asked
    assert model.settings_.recipe.loss == "listwise"
    assert model.settings_.recipe.scale < asked.recipe.scale
    assert repr(model) == repr(TransA(epochs=1, validate_every=0, threads=1))
    model.save(tmp_path / "model")
    assert transa.load(tmp_path / "model").settings == model.settings_


def test_it_prints_as_the_call_that_makes_it():
    assert repr(TransA(dim=5)) == "TransA(dim=5, norm='l1')"
    assert repr(TransA()) == "TransA(norm='l1')"
    model = TransE(dim=5, margin=2, epochs=7)
    assert eval(repr(model), {"TransE": TransE, "Fixed": Fixed}).settings == model.settings


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: TransA(learning_rate=1), "no option 'learning_rate' for transa"),
        (lambda: TransA(epoch=1), "did you mean 'epochs'"),
        (lambda: TransA(dim=0), "dim is at least 1"),
        (lambda: TransA(norm="l3"), "norm is one of"),
        (lambda: TransA(margin=1.0), "makes it TransE"),
        (lambda: TransE(margin=-1), "at least 0"),
    ],
)
def test_wrong_options(call, sentence):
    with pytest.raises(ConfigError, match=sentence):
        call()


def test_dimensions_suit_the_graph_unless_given(atlas):
    ids = np.arange(400, dtype=np.int32)
    crowd = transa.from_ids(np.stack([ids % 5, ids // 25, ids // 5 % 5], axis=1))
    few = {"epochs": 1, "validate_every": 0, "threads": 1, "loss": "logistic"}
    assert TransA(**few).fit(atlas).parameters_["entity"].shape[1] == 50
    assert TransA(dim=60, **few).fit(atlas).parameters_["entity"].shape[1] == 60
    again = TransA(**few).fit(atlas).fit(crowd)
    assert again.parameters_["entity"].shape[1] == 200, "not what suited the first graph"
    default = make_settings("transa")
    assert suited(default, n_entities=1_000, n_triples=3_000).energy.dim == 50
    assert suited(default, n_entities=100, n_triples=3_000).energy.dim == 200
    assert suited(default, n_entities=50_000, n_triples=100_000).energy.dim == 200


def test_a_model_may_be_called_as_in_its_paper():
    assert transa.Estimator("TransH").settings.model == "transh"
