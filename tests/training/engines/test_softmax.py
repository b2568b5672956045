"""The softmax engine: its loss, its gradient, its candidates, and what it refuses."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy as reference

from transa import Estimator, from_ids
from transa.errors import ConfigError
from transa.margins import Adaptive, Fixed
from transa.models import FittedModel
from transa.models.complex import ComplExEnergy
from transa.models.distmult import DistMultEnergy
from transa.ranking import quick_metrics
from transa.settings.recipe import Recipe
from transa.training.engines import softmax
from transa.training.engines.softmax import cross_entropy
from transa.training.loop import train


def test_the_loss_and_its_gradient_are_those_of_cross_entropy():
    rng = torch.Generator().manual_seed(0)
    energies = torch.randn(4, 9, generator=rng, dtype=torch.float64, requires_grad=True)
    # Question 1 has three answers, one of them twice (a repeated triple); question 2 has none.
    asked, place = torch.tensor([0, 1, 1, 1, 3]), torch.tensor([8, 2, 2, 5, 0])
    expected = reference(-energies[asked], place, reduction="sum")
    expected.backward()
    loss, gradient = cross_entropy(energies.detach().clone(), asked, place)
    assert loss == pytest.approx(expected.item())
    torch.testing.assert_close(gradient, energies.grad)


def test_a_large_energy_overflows_nothing():
    energies = torch.tensor([[0.0, -2e4, 3e4]])
    loss, gradient = cross_entropy(energies, torch.tensor([0]), torch.tensor([2]))
    assert loss == pytest.approx(5e4)
    assert torch.isfinite(gradient).all()


def trained(energy, graph, **options):
    fixed = {"loss": "softmax", "constraint": "none", "threads": 1, "validate_every": 0}
    recipe = Recipe(**{**fixed, "margin": Fixed(0), **options})
    return train(energy, recipe, graph).parameters


@pytest.mark.parametrize("negatives", [5, 1000])
def test_it_learns_whether_it_sees_some_entities_or_all(negatives, grid):
    energy = ComplExEnergy(dim=16)
    parameters = trained(energy, grid, negatives=negatives, epochs=60, batch=32)
    # Of 49 squares; to guess is a rank of 25.
    assert quick_metrics(FittedModel(energy, parameters, grid), grid.valid).mr < 8


def test_one_thread_gives_the_same_bits(grid):
    one, other = (trained(DistMultEnergy(dim=6), grid, negatives=20, epochs=3) for _ in range(2))
    for name, table in one.items():
        np.testing.assert_array_equal(table, other[name])


@pytest.mark.parametrize("negatives", [10, 4000])
def test_the_answers_of_a_hub_are_not_held_against_a_whole_batch(negatives, monkeypatch):
    """Of a star each way: 3000 questions with an answer each, beside one with 3000."""
    n = 3000
    star = np.stack([np.zeros(n), np.zeros(n), 1 + np.arange(n)], axis=1).astype(np.int32)
    monkeypatch.setattr(softmax, "_MOST_ENERGIES", 1 << 16)
    sizes, step = [], softmax.SoftmaxEngine.step

    def noted(self, questions, candidates, margins):
        sizes.append(len(questions.anchor) * len(candidates))
        return step(self, questions, candidates, margins)

    monkeypatch.setattr(softmax.SoftmaxEngine, "step", noted)
    graph = from_ids(np.concatenate([star, star[:, ::-1]]))
    options = {"engine": "autograd", "negatives": negatives, "epochs": 1, "batch": 512}
    trained(DistMultEnergy(dim=2), graph, **options)
    if negatives > n:
        assert max(sizes) == 512 * graph.n_entities
    else:
        assert max(sizes) <= (1 << 16) + 512 * negatives


def test_what_has_no_products_is_refused(grid):
    with pytest.raises(ConfigError, match="transe is not made of"):
        Estimator("transe", loss="softmax", epochs=1).fit(grid)


def test_an_answer_is_held_to_its_margin():
    rng = torch.Generator().manual_seed(0)
    energies = torch.randn(4, 9, generator=rng, dtype=torch.float64, requires_grad=True)
    # Two answers of a question, one of them all but certain; a repeated triple has one margin.
    asked, place = torch.tensor([0, 1, 1, 1, 3]), torch.tensor([8, 2, 2, 5, 0])
    with torch.no_grad():
        energies[1, 5] = -30
    margins = torch.tensor([0.0, 0.5, 0.5, 12.0, 3.0], dtype=torch.float64)
    scores = -energies[asked]
    expected = reference(
        scores - torch.nn.functional.one_hot(place, 9) * margins[:, None], place, reduction="sum"
    )
    expected.backward()
    loss, gradient = cross_entropy(energies.detach().clone(), asked, place, margins)
    assert loss == pytest.approx(expected.item())
    torch.testing.assert_close(gradient, energies.grad)


@pytest.mark.parametrize("engine", ["autograd", "auto"])
def test_a_margin_changes_what_is_learnt(engine, grid):
    tables = [
        trained(DistMultEnergy(dim=4), grid, negatives=20, epochs=2, engine=engine, margin=margin)
        for margin in (Fixed(0), Fixed(2), Adaptive(reading="energies"))
    ]
    for one, other in itertools.combinations(tables, 2):
        assert not np.allclose(one["entity"], other["entity"], atol=1e-4)


def test_a_margin_in_distances_is_refused_of_a_product(grid):
    with pytest.raises(ConfigError, match="distmult is no translation; train it with --reading en"):
        Estimator("distmult", margin=Adaptive(), epochs=1).fit(grid)
