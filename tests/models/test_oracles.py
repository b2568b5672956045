"""Every model against its formula in plain NumPy: energies, gradients, penalties and images."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
import torch

from tests.models.oracles import ENERGIES, IMAGES, PENALTIES, length
from transa.models import MODELS, NORMS, Energy, Translation
from transa.models.scoring import energies
from transa.models.tensors import as_tensors

N, M, DIM = 7, 3, 4
KINDS = {entry.energy.name: entry.energy for entry in MODELS.values()}
WITH_PENALTY = {name for name, kind in KINDS.items() if kind.penalty is not Energy.penalty}
WITH_IMAGES = {
    name
    for name, kind in KINDS.items()
    if (view := kind().distance_view()) is not None and view.of_relation is not None
}
EVERYONE = np.arange(N)[None]
GIVEN, RELATION = (ids[:, None] for ids in np.indices((N, M)).reshape(2, -1))
OTHERS = np.random.default_rng(2).integers(N, size=(N * M, 5))
QUESTIONS = {
    "triples": np.indices((N, M, N)).reshape(3, -1),
    "tails of one": (GIVEN[4:5], RELATION[4:5], EVERYONE),
    "heads of one": (EVERYONE, RELATION[4:5], GIVEN[4:5]),
    "tails of many": (GIVEN, RELATION, EVERYONE),
    "heads of many": (EVERYONE, RELATION, GIVEN),
    "tails of its own for each": (GIVEN, RELATION, OTHERS),
    "heads of its own for each": (OTHERS, RELATION, GIVEN),
}
"""Ids as training, ranking and answering broadcast them."""
A_FEW = {
    "triples": (np.array([0, 1, 5]), np.array([0, 2, 2]), np.array([3, 4, 5])),
    "tails": (GIVEN[4:6], RELATION[4:6], EVERYONE),
    "heads": (EVERYONE, RELATION[4:6], GIVEN[4:6]),
}
"""Enough for gradients: what belongs to a relation meets one side here, the other there."""


def small(name, **options):
    """The model with every size of its own cut down: finite differences count the weights."""
    kind = KINDS[name]
    sizes = {f.name: 3 for f in fields(kind) if type(f.default) is int and f.name != "dim"}
    return kind(dim=DIM, **sizes, **options)


def weights_of(name):
    """The settings that weigh something."""
    return {f.name for f in fields(KINDS[name]) if isinstance(f.default, float)}


def penalised(name):
    """The model with another weight on each penalty that it has."""
    names = sorted(weights_of(name))
    return small(name, **{weight: 0.2 + 0.3 * i for i, weight in enumerate(names)})


def tables_of(energy, seed=0):
    """Away from what is symmetric, zero or constant at the start: nothing may cancel by chance."""
    rng = np.random.default_rng(seed)
    drawn = energy.initialise(N, M, rng)
    tables = {name: table + rng.normal(0, 0.3, table.shape) for name, table in drawn.items()}
    tables["entity"][0] *= 0.2  # one that a bound on lengths leaves alone
    return tables


def doubled(tables):
    return {name: table.astype(np.float64) for name, table in tables.items()}


def by_oracle(oracle, tables, ids, settings):
    """One triple at a time, in the shape that the ids broadcast to."""
    each = np.broadcast(*ids)
    return np.array([oracle(tables, *triple, settings) for triple in each]).reshape(each.shape)


def differences(total, tables, step=1e-6):
    """(f(x + ε) − f(x − ε)) / 2ε of every weight x of every table."""
    found = {name: np.empty_like(table) for name, table in tables.items()}
    for name, table in tables.items():
        for place in np.ndindex(table.shape):
            was = table[place]
            table[place] = was + step
            above = total(tables)
            table[place] = was - step
            below = total(tables)
            table[place] = was
            found[name][place] = (above - below) / (2 * step)
    return found


def assert_same_gradients(function, oracle, energy, ids):
    """Of a weighted sum over all triples asked about, so that none can stand in for another."""
    tables = tables_of(energy)
    weights = np.random.default_rng(1).normal(size=np.broadcast(*ids).shape)
    leaves = {name: torch.tensor(table, requires_grad=True) for name, table in tables.items()}
    found = function(leaves, *map(torch.from_numpy, ids))
    (found * torch.from_numpy(weights)).sum().backward()

    def total(changed):
        return (weights * by_oracle(oracle, changed, ids, energy)).sum()

    for name, expected in differences(total, tables).items():
        gradient = leaves[name].grad
        by_hand = np.zeros_like(expected) if gradient is None else gradient.numpy()
        np.testing.assert_allclose(by_hand, expected, rtol=1e-6, atol=1e-7, err_msg=name)


def test_every_model_has_its_oracles():
    assert set(KINDS) == set(ENERGIES), "a registered model needs its energy in oracles.py"
    assert set(PENALTIES) == WITH_PENALTY
    assert set(IMAGES) == WITH_IMAGES


IN_EVERY_NORM = pytest.mark.parametrize(
    ("name", "options"),
    [
        pytest.param(name, options, id="-".join([name, *options.values()]))
        for name, kind in KINDS.items()
        for options in ([{"norm": n} for n in NORMS] if issubclass(kind, Translation) else [{}])
    ],
)


@pytest.mark.parametrize("asked", QUESTIONS)
@IN_EVERY_NORM
def test_the_energy_is_the_paper_s(name, options, asked):
    energy, ids = small(name, **options), QUESTIONS[asked]
    tables = tables_of(energy)
    found = energy.energy(as_tensors(tables), *map(torch.from_numpy, ids)).numpy()
    expected = by_oracle(ENERGIES[name], tables, ids, energy)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("asked", A_FEW)
@IN_EVERY_NORM
def test_the_gradient_is_that_of_finite_differences(name, options, asked):
    energy = small(name, **options)
    assert_same_gradients(energy.energy, ENERGIES[name], energy, A_FEW[asked])


@IN_EVERY_NORM
def test_scores_are_the_energies_in_single_precision(name, options):
    energy = small(name, **options)
    tables = {key: table.astype(np.float32) for key, table in tables_of(energy).items()}
    for ids in ((np.arange(N), 2, 1), (1, 2, np.arange(N)), QUESTIONS["triples"]):
        expected = by_oracle(ENERGIES[name], doubled(tables), np.broadcast_arrays(*ids), energy)
        np.testing.assert_allclose(energies(energy, tables, *ids), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", sorted(WITH_PENALTY))
def test_the_penalty_is_the_paper_s(name):
    energy, ids = penalised(name), QUESTIONS["triples"]
    tables = tables_of(energy)
    found = energy.penalty(as_tensors(tables), *map(torch.from_numpy, ids)).numpy()
    expected = by_oracle(PENALTIES[name], tables, ids, energy)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    assert_same_gradients(energy.penalty, PENALTIES[name], energy, A_FEW["triples"])


@pytest.mark.parametrize("name", sorted(WITH_PENALTY - {"lmnn"}))
def test_a_penalty_of_no_weight_is_not_computed(name):
    energy = small(name, **dict.fromkeys(weights_of(name), 0.0))
    assert energy.penalty({}, *map(torch.from_numpy, A_FEW["triples"])) is None


@pytest.mark.parametrize("name", sorted(WITH_PENALTY))
def test_each_weight_alone_is_part_of_the_penalty(name):
    ids = A_FEW["triples"]
    for weight in weights_of(name) - {"ridge"}:  # which is of least squares, not of a loss
        alone = dict.fromkeys(weights_of(name), 0.0) | {weight: 0.5}
        energy = small(name, **alone)
        tables = tables_of(energy)
        found = energy.penalty(as_tensors(tables), *map(torch.from_numpy, ids)).numpy()
        assert found.all()
        np.testing.assert_allclose(found, by_oracle(PENALTIES[name], tables, ids, energy))


@pytest.mark.parametrize("name", sorted(WITH_IMAGES))
def test_images_are_the_paper_s_and_give_the_energy(name):
    energy = small(name)
    tables = tables_of(energy)
    for r in range(M):
        found, translation = energy.distance_view().of_relation(tables, r)
        expected = [IMAGES[name](tables, e, r) for e in range(N)]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        norm = getattr(energy, "norm", "l2sq")
        ids = np.arange(N)[:, None], np.array(r), np.arange(N)[None]
        np.testing.assert_allclose(
            [[length(head + translation - tail, norm) for tail in found] for head in found],
            by_oracle(ENERGIES[name], tables, ids, energy),
            rtol=1e-10,
            atol=1e-12,
        )
