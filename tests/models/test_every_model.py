"""What holds for every model; one joins this suite by being registered."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
import torch

from transa import Estimator, load
from transa.errors import ConfigError, UnknownNameError
from transa.graph import Graph, Vocabulary
from transa.models.registry import MODELS
from transa.settings.config import make_settings
from transa.training.loop import train

N, M, DIM = 7, 3, 4
LEAST_SQUARES = {"model": "rescal", "optimiser": "als"}
ENERGIES = sorted(name for name in MODELS if name != "transa")  # whose energy is transe's


def small(name):
    """The model with every size of its own cut down, for finite differences count the weights."""
    kind = MODELS[name].energy
    sizes = {f.name: 3 for f in fields(kind) if isinstance(f.default, int) and f.name != "dim"}
    return kind(dim=DIM, **sizes)


def parameters_of(energy, dtype=torch.float32, seed=0):
    rng = np.random.default_rng(seed)
    drawn = energy.initialise(N, M, rng)
    # Away from what is symmetric or zero at the start, where derivatives may not exist.
    return {
        name: torch.tensor(table + rng.normal(0, 0.3, table.shape), dtype=dtype)
        for name, table in drawn.items()
    }


def every_triple():
    return torch.cartesian_prod(torch.arange(N), torch.arange(M), torch.arange(N)).T


@pytest.mark.parametrize("name", ENERGIES)
def test_heads_tails_and_triples_get_the_same_number(name):
    energy = small(name)
    parameters = parameters_of(energy)
    h, r, t = every_triple()
    alone = energy.energy(parameters, h, r, t).reshape(N, M, N)
    everyone = torch.arange(N)
    for head in range(N):
        for relation in range(M):
            one = torch.tensor([[head]]), torch.tensor([[relation]])
            tails = energy.energy(parameters, one[0], one[1], everyone[None])[0]
            heads = energy.energy(parameters, everyone[None], one[1], one[0])[0]
            torch.testing.assert_close(tails, alone[head, relation])
            torch.testing.assert_close(heads, alone[:, relation, head])


@pytest.mark.parametrize("name", ENERGIES)
def test_gradients_are_those_of_finite_differences(name):
    energy = small(name)
    parameters = parameters_of(energy, torch.float64)
    names = list(parameters)
    h, r, t = torch.tensor([0, 1]), torch.tensor([0, 2]), torch.tensor([3, 4])

    def total(*tables):
        return energy.energy(dict(zip(names, tables, strict=True)), h, r, t).sum()

    leaves = [table.requires_grad_() for table in parameters.values()]
    assert torch.autograd.gradcheck(total, leaves, eps=1e-6, atol=1e-5)


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
    assert np.mean(model.score(within)) > np.mean(model.score(across))
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.score(within), model.score(within))
    assert again.evaluate().filtered == model.evaluate().filtered


@pytest.mark.parametrize("name", list(MODELS))
def test_it_tells_true_from_false(name):
    model = Estimator(name, dim=4, epochs=1, threads=1, validate_every=0).fit("countries")
    asked = [("France", "borders", "Spain"), ("France", "borders", "Japan")]
    for verdict in model.fit_thresholds().classify(asked):
        assert verdict.verdict in (True, False)
        assert 0 <= verdict.probability <= 1
        below = verdict.energy < verdict.threshold
        assert verdict.verdict == below


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


@pytest.mark.parametrize("name", ENERGIES)
def test_many_questions_at_once_get_the_numbers_of_each(name):
    energy = small(name)
    parameters = parameters_of(energy)
    h, r, t = every_triple()
    alone = energy.energy(parameters, h, r, t).reshape(N, M, N)
    everyone = torch.arange(N)[None]
    # More questions than candidates, each with a relation of its own: the shape of softmax steps.
    given, relation = torch.cartesian_prod(torch.arange(N), torch.arange(M)).T
    tails = energy.energy(parameters, given[:, None], relation[:, None], everyone)
    heads = energy.energy(parameters, everyone, relation[:, None], given[:, None])
    torch.testing.assert_close(tails, alone[given, relation])
    torch.testing.assert_close(heads, alone.permute(2, 1, 0)[given, relation])


def test_where_a_turned_head_meets_its_tail_the_gradient_is_zero():
    energy = MODELS["rotate"].energy(dim=2)
    entity = torch.tensor([[1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]], requires_grad=True)
    angle = torch.zeros(1, 2)
    ids = (torch.tensor([0]), torch.tensor([0]), torch.tensor([1]))
    energy.energy({"entity": entity, "angle": angle}, *ids).sum().backward()
    assert entity.grad.abs().sum() == 0
