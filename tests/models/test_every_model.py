"""What holds for every model; one joins this suite by being registered."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from transa import Estimator, load
from transa.errors import ConfigError, UnknownNameError
from transa.graph import Graph, Vocabulary
from transa.models.registry import MODELS
from transa.settings.config import make_settings
from transa.training.loop import train

LEAST_SQUARES = {"model": "rescal", "optimiser": "als"}
ENERGIES = sorted(name for name in MODELS if name != "transa")  # whose energy is transe's


@pytest.fixture(scope="module")
def friends() -> Graph:
    """Two circles: everyone likes all in their own circle; one relation, symmetric and transitive.

    Every model here can tell a pair within a circle from a pair across.
    """
    n = 12
    pairs = [(a, 0, b) for a in range(n) for b in range(n) if a != b and (a < 6) == (b < 6)]
    triples = np.array(pairs, dtype=np.int32)
    held_out = np.arange(0, len(triples), 10)
    return Graph(
        np.delete(triples, held_out, axis=0),
        Vocabulary("entity", [f"p{i}" for i in range(n)]),
        Vocabulary("relation", ["likes"]),
        valid=triples[held_out],
        test=triples[held_out],
        name="friends",
    )


@pytest.mark.parametrize("name", list(MODELS))
def test_it_learns_and_is_kept(name, friends, tmp_path):
    model = Estimator(name, dim=8, epochs=25, batch=16, threads=1, validate_every=0, negatives=4)
    model.fit(friends)
    within = [("p0", "likes", f"p{i}") for i in range(1, 6)]
    across = [("p0", "likes", f"p{i}") for i in range(6, 12)]
    assert np.mean(model.score_samples(within)) > np.mean(model.score_samples(across))
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.score_samples(within), model.score_samples(within))
    assert again.evaluate().filtered == model.evaluate().filtered


@pytest.mark.parametrize("options", [*({"model": name} for name in MODELS), LEAST_SQUARES], ids=str)
def test_a_run_that_goes_on_equals_one_never_stopped(options, friends, tmp_path):
    common = {"dim": 4, "batch": 16, "threads": 1, "validate_every": 0, "average": False}
    short, long = (make_settings(epochs=n, **common, **options) for n in (2, 4))
    file = tmp_path / "run.checkpoint"
    train(short.energy, short.recipe, friends, checkpoint=file)
    resumed = train(long.energy, long.recipe, friends, checkpoint=file, resume=True)
    whole = train(long.energy, long.recipe, friends)
    for name, table in whole.parameters.items():
        np.testing.assert_array_equal(resumed.parameters[name], table)


@pytest.mark.parametrize("name", list(MODELS))
def test_an_adaptive_margin_is_for_translations_alone(name, friends):
    options = {"margin": "adaptive", "dim": 4, "epochs": 1, "threads": 1}
    if name in ("transa", "transe", "transh", "transr", "lmnn"):
        Estimator(name, **options).fit(friends)
    else:
        with pytest.raises(ConfigError, match="adaptive margin"):
            Estimator(name, **options).fit(friends)


@pytest.mark.parametrize("name", ENERGIES)
def test_a_dimension_of_nothing_is_refused(name):
    with pytest.raises(ConfigError, match="dim is at least 1"):
        MODELS[name].energy(dim=0)


def test_an_unknown_model_gets_a_suggestion():
    with pytest.raises((UnknownNameError, ConfigError), match="did you mean"):
        Estimator("transs")


def test_where_a_turned_head_meets_its_tail_the_gradient_is_zero():
    energy = MODELS["rotate"].energy(dim=2)
    entity = torch.tensor([[1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]], requires_grad=True)
    angle = torch.zeros(1, 2)
    ids = (torch.tensor([0]), torch.tensor([0]), torch.tensor([1]))
    energy.energy({"entity": entity, "angle": angle}, *ids).sum().backward()
    assert entity.grad.abs().sum() == 0
