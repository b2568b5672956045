"""Dropout: what a step does without, that chance can be repeated, and who refuses it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from transa.errors import ConfigError
from transa.settings.config import make_settings
from transa.training.loop import Run, train

SHARE = 0.25


def settings(model="ntn", **options):
    return make_settings(
        model, dim=8, batch=64, threads=1, validate_every=0, **{"dropout": SHARE, **options}
    )


def engine(graph, **options):
    made = settings(**options)
    return Run(made.energy, made.recipe, graph, None).engine


def test_a_share_of_every_anchor_is_left_out_and_the_rest_makes_up_for_it(grid):
    made = engine(grid)
    made.throw_anew((1, 2))
    entity = torch.arange(1.0, 4.0)[:, None].repeat(1, 8).requires_grad_()
    leaves = {"entity": entity, "left": torch.ones(3)}
    asked = torch.tensor([2, 0]).repeat(1000)
    seen, anchors = made.thinned(leaves, asked)
    assert seen["left"] is leaves["left"]
    # The candidates are whole, and every anchor has its own row after them.
    torch.testing.assert_close(seen["entity"][:3], entity)
    torch.testing.assert_close(anchors, torch.arange(3, 2003))
    parts = (seen["entity"][anchors] / entity[asked]).detach()
    assert parts.max().item() == pytest.approx(1 / (1 - SHARE))
    assert ((parts == 0) | torch.isclose(parts, parts.max())).all()
    assert (parts == 0).float().mean() == pytest.approx(SHARE, abs=0.02)
    assert len(parts.unique(dim=0)) > 50
    seen["entity"][anchors].sum().backward()
    torch.testing.assert_close(entity.grad[2], parts[::2].sum(0), rtol=1e-4, atol=0)
    torch.testing.assert_close(entity.grad[1], torch.zeros(8))


def test_without_dropout_nothing_is_thrown(grid):
    leaves, asked = {"entity": torch.ones(2, 8)}, torch.tensor([0, 1, 0])
    seen, anchors = engine(grid, dropout=0.0).thinned(leaves, asked)
    assert seen is leaves
    assert anchors is asked


@pytest.mark.parametrize("loss", ["logistic", "softmax"])
def test_a_run_that_was_stopped_goes_on_as_if_it_was_not(loss, grid, tmp_path):
    made = settings(loss=loss, epochs=4)
    whole = train(made.energy, made.recipe, grid)
    checkpoint = tmp_path / "checkpoint"
    train(made.energy, replace(made.recipe, epochs=2), grid, checkpoint=checkpoint)
    resumed = train(made.energy, made.recipe, grid, checkpoint=checkpoint, resume=True)
    for name, table in whole.parameters.items():
        np.testing.assert_array_equal(table, resumed.parameters[name])


def test_translations_with_dropout_take_the_other_engine(grid):
    assert type(engine(grid, model="transe")).__name__ == "AutogradEngine"
    with pytest.raises(ConfigError, match="dropout is of the auto or autograd engine; fused"):
        engine(grid, model="transe", engine="fused")


def test_least_squares_refuse_it(grid):
    with pytest.raises(ConfigError, match="no steps for dropout"):
        engine(grid, model="rescal", optimiser="als")


@pytest.mark.parametrize("share", [-0.1, 1.0, 2.0])
def test_a_share_is_below_one(share):
    with pytest.raises(ConfigError, match=rf"dropout is (below 1|at least 0), found {share}"):
        settings(dropout=share)
