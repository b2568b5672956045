"""A rate that falls: in every engine, after a stop, beside patience; and the size of a block."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from transa.errors import ConfigError, StoreError
from transa.margins import Fixed
from transa.models import TransEEnergy
from transa.settings.recipe import Recipe
from transa.training.loop import Run, train

ENERGY = TransEEnergy(16, "l1")
RECIPE = Recipe(epochs=6, validate_every=2, threads=1, lr_decay="linear", margin=Fixed(1.0))
WAYS = [
    {"loss": "logistic", "engine": "fused"},
    {"loss": "logistic", "engine": "autograd"},
    {"loss": "listwise", "engine": "fused"},
    {"loss": "listwise", "engine": "autograd"},
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: " ".join(way.values()))
def test_it_falls_from_epoch_to_epoch(grid, way):
    """Rows move by no more than the rate says: under SGD, in proportion to it."""
    recipe = replace(RECIPE, **way, optimiser="sgd", constraint="none", lr=1e-4)

    def movement(epoch):
        run = Run(ENERGY, recipe, grid, None)
        run.epoch = epoch
        before = run.parameters["entity"].copy()
        run.one_epoch()
        return np.abs(run.parameters["entity"] - before).sum()

    assert movement(3) == pytest.approx(movement(0) / 2, rel=0.1)
    assert movement(5) == pytest.approx(movement(0) / 6, rel=0.1)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: " ".join(way.values()))
def test_a_run_that_is_resumed_falls_on(grid, tmp_path, way):
    recipe, file = replace(RECIPE, **way), tmp_path / "run.checkpoint"

    class KilledError(Exception):
        """As a kill does."""

    def die(line):
        if line.epoch == 3:
            raise KilledError

    with pytest.raises(KilledError):
        train(ENERGY, recipe, grid, checkpoint=file, report=die)
    resumed = train(ENERGY, recipe, grid, checkpoint=file, resume=True)
    whole = train(ENERGY, recipe, grid)
    np.testing.assert_array_equal(resumed.parameters["entity"], whole.parameters["entity"])


def test_another_end_is_another_run(grid, tmp_path):
    """The rate would have fallen otherwise, so that the run cannot be gone on with."""
    file = tmp_path / "run.checkpoint"
    train(ENERGY, RECIPE, grid, checkpoint=file)
    with pytest.raises(StoreError, match="of another run"):
        train(ENERGY, replace(RECIPE, epochs=9), grid, checkpoint=file, resume=True)


def test_it_is_not_stopped_early(grid):
    trained = train(ENERGY, replace(RECIPE, epochs=40, validate_every=1, lr=2.0), grid)
    assert trained.stopped == "finished"
    assert trained.best_epoch < 35
    with pytest.raises(ConfigError, match="patience is of the none lr_decay"):
        replace(RECIPE, patience=2)


def test_a_block_shares_its_candidates(grid):
    """Blocks of one triple make more steps of an epoch than blocks of many."""
    listwise = replace(RECIPE, loss="listwise", negatives=8)
    one, many = (Run(ENERGY, replace(listwise, block=n), grid, None) for n in (1, 1000))
    assert one.bucket.n_blocks == len(grid.train)
    assert many.bucket.n_blocks == 1
    for run in (one, many):
        assert sorted(run.bucket.triples_of(run.bucket.chunk(0, 0, 0))) == [*range(len(grid.train))]
        assert run.one_epoch().loss > 0
    assert not np.array_equal(one.parameters["entity"], many.parameters["entity"])
    with pytest.raises(ConfigError, match="block is of the listwise loss"):
        replace(RECIPE, block=16)
