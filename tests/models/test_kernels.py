"""Kernels belong to the model that brings them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from transa.errors import ConfigError
from transa.margins import Fixed
from transa.models import TransEEnergy
from transa.models.lmnn import LMNNEnergy
from transa.models.registry import MODELS
from transa.settings.recipe import OWN_LOSSES, Recipe
from transa.training import losses
from transa.training.engines import engine_for
from transa.training.losses import register_loss


@dataclass(frozen=True)
class Renamed(TransEEnergy):
    """TransE's energy, inherited: its kernels compute it."""


@dataclass(frozen=True)
class Redefined(TransEEnergy):
    """An energy of its own, which no kernel knows."""

    def energy(self, parameters, h, r, t):
        return 2 * super().energy(parameters, h, r, t)


@dataclass(frozen=True)
class RedefinedWithKernels(TransEEnergy):
    """An energy of its own that brings its kernels along."""

    def energy(self, parameters, h, r, t):
        return super().energy(parameters, h, r, t)

    def fused_steps(self):
        return TransEEnergy.fused_steps(self)

    def distance_view(self):
        return TransEEnergy.distance_view(self)


@pytest.mark.parametrize(
    ("kind", "engine"),
    [(Renamed, "fused"), (Redefined, "autograd"), (RedefinedWithKernels, "fused")],
)
def test_who_defines_an_energy_brings_its_kernels(kind, engine):
    energy = kind(4)
    assert engine_for(energy, Recipe()).name == engine
    assert (energy.distance_view() is None) == (engine == "autograd")


def test_an_inherited_shortcut_does_not_compute_another_energy():
    tables = Redefined(4).initialise(6, 2, np.random.default_rng(0))
    ids = (np.arange(6), np.zeros(6, np.int64), np.arange(6)[::-1].copy())
    ours, theirs = (kind(4).energies(tables, *ids) for kind in (Redefined, TransEEnergy))
    np.testing.assert_allclose(ours, 2 * theirs, rtol=1e-6)


def test_lmnn_ranks_as_transe():
    assert LMNNEnergy(4).distance_view() == TransEEnergy(4).distance_view()


def test_every_table_can_be_filled_block_by_block(monkeypatch):
    for entry in MODELS.values():
        energy = entry.energy(dim=5)
        whole = energy.initialise(7, 3, np.random.default_rng(1))
        with monkeypatch.context() as patch:
            patch.setattr("transa.models.energy.ROWS_AT_A_TIME", 2)
            blocks = energy.initialise(7, 3, np.random.default_rng(1))
        for name, table in whole.items():
            np.testing.assert_array_equal(table, blocks[name], f"{energy.name} {name}")


@pytest.fixture
def own_loss():
    """A loss of one's own, for as long as a test takes."""
    register_loss("squared hinge", lambda c: (c.positive + c.margin).square())
    yield
    losses._BY_NAME.pop("squared hinge")
    OWN_LOSSES.remove("squared hinge")


@pytest.mark.usefixtures("own_loss")
def test_a_loss_that_no_kernel_knows_is_trained_by_autograd():
    energy = TransEEnergy(4)
    with pytest.raises(ConfigError, match="there is a loss 'squared hinge' already"):
        register_loss("squared hinge", lambda c: c.positive)
    with pytest.raises(ConfigError, match="one of hinge"):
        Recipe(loss="no such loss")
    recipe = Recipe(loss="squared hinge", margin=Fixed(1.0))
    assert engine_for(energy, recipe).name == "autograd"
    recipe = replace(recipe, engine="fused")
    with pytest.raises(ConfigError, match="the fused engine trains only transa, transe"):
        engine_for(energy, recipe)
