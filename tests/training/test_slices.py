"""A run that is stopped between any two slices of its work goes on as if it never was."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from transa.settings.config import make_settings
from transa.training.engines import fused
from transa.training.loop import Run

MODELS = {
    "transa": {"dim": 8},
    "transr": {"dim": 8, "relation_dim": 5},
    "ntn": {"dim": 6, "slices": 2, "dropout": 0.2, "batch": 32},
    "distmult": {"dim": 8, "batch": 16},
    "transe": {"dim": 8, "loss": "listwise", "negatives": 20, "reciprocal": True},
    "rotate": {"dim": 6, "loss": "listwise", "negatives": 20, "batch": 32},
    "se": {"dim": 6, "batch": 32},
}


def a_run(grid, model, tmp_path):
    options = {"epochs": 3, "validate_every": 1, "patience": 0, "threads": 1, **MODELS[model]}
    settings = make_settings(model, **options)
    return Run(settings.energy, settings.recipe, grid, tmp_path / "checkpoint")


def after(n):
    """A stop that is asked for at the n-th look, and from then on."""
    looks = count()
    return lambda: next(looks) >= n


@pytest.mark.parametrize("model", MODELS)
def test_stopped_at_every_slice(model, grid, tmp_path, monkeypatch):
    monkeypatch.setattr(fused, "_SLICE", 1)
    whole = a_run(grid, model, tmp_path)
    for _ in range(3):
        whole.one_epoch()
    stops = 0
    run = a_run(grid, model, tmp_path)
    while run.epoch < 3:
        # A look at validation that is stopped begins anew: some stops come later than others.
        ended = run._advance(after(1 + stops % 3))
        stops += not ended
        run.save()
        run = a_run(grid, model, tmp_path)
        run.restore()
    assert stops >= 4, "else nothing was stopped within an epoch"
    for name, table in whole.parameters.items():
        np.testing.assert_array_equal(run.parameters[name], table, name)
        np.testing.assert_array_equal(run.rows.best[name], whole.rows.best[name], name)
    ours, theirs = ([(e.validation, e.best) for e in r.history] for r in (run, whole))
    assert ours == theirs


def test_threads_may_change_between_a_stop_and_the_rest(grid, tmp_path, monkeypatch):
    monkeypatch.setattr(fused, "_SLICE", 1)
    run = a_run(grid, "transa", tmp_path)
    run.threads = 2
    assert not run._advance(after(1))
    left = sum(end - begin for begin, end, _ in run.engine.position["spans"])
    assert 0 < left < run.bucket.n_blocks
    run.threads = 1
    assert run._advance()
    assert run.engine.position is None


def test_slices_do_not_change_what_is_learnt(grid, tmp_path, monkeypatch):
    at_once = a_run(grid, "transa", tmp_path)
    at_once.one_epoch()
    monkeypatch.setattr(fused, "_SLICE", 1)
    sliced = a_run(grid, "transa", tmp_path)
    sliced.one_epoch()
    np.testing.assert_array_equal(sliced.parameters["entity"], at_once.parameters["entity"])
    assert sliced.engine._blocks_a_slice == 1 < at_once.engine._blocks_a_slice
