"""Where a search looks."""

from __future__ import annotations

import pytest

from transa.models import MODELS
from transa.searching.searching import CANDIDATES
from transa.searching.space import Range, Space
from transa.settings.by_size import GraphSize, settings_for
from transa.settings.config import make_settings, to_plain
from transa.training.engines import engine_for

SMALL, LARGE = GraphSize(2_000, 100), GraphSize(300_000, 14_000)


def space_of(model, size=LARGE, **given):
    return Space.round(settings_for(model, given, size).settings)


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
@pytest.mark.parametrize("model", CANDIDATES)
def test_whatever_is_in_it_can_be_trained(model, size):
    space = space_of(model, size)
    assert {"dim", "lr", "epochs"} <= space.alternatives.keys()
    assert space.settings(space.begin) == space.defaults
    for name, of in space.alternatives.items():
        for value in (of.low, of.high) if isinstance(of, Range) else of:
            settings = space.settings({**space.begin, name: value})
            assert engine_for(settings.energy, settings.recipe)


def test_it_is_round_what_suits_the_graph():
    space = space_of("transe")
    recipe = space.defaults.recipe
    assert space.alternatives["lr"] == Range(recipe.lr / 4, recipe.lr * 4)
    assert space.alternatives["dim"] == (200, 400, 800)
    assert space.alternatives["negatives"] == (64, 128, 256)
    assert space.alternatives["margin"] == (0.0, 0.5, 1.0, 2.0)
    # 64 triples are a step of the fused engine, whatever the batch.
    assert "batch" not in space.alternatives


@pytest.mark.parametrize(
    ("model", "setting"),
    [
        ("transa", "margin"),  # is measured
        ("complex", "margin"),  # the softmax loss has none
        ("complex", "scale"),  # is of the listwise loss
        ("complex", "l2"),  # 0 by default: nothing is near
        ("rescal", "n3"),  # is of other models
        ("transe", "loss"),  # its declaration names no search
    ],
)
def test_what_would_change_nothing_is_not_searched(model, setting):
    assert setting not in space_of(model).alternatives


def test_settings_have_three_digits_but_for_the_defaults():
    space = space_of("distmult", lr=0.012345)
    assert space.settings({"lr": 0.0234567}).recipe.lr == 0.0235
    assert space.settings(space.begin).recipe.lr == 0.012345
    assert make_settings(**to_plain(space.settings({"dim": 64}))).energy.dim == 64


def test_every_model_has_a_space():
    assert all(space_of(model, SMALL).alternatives for model in MODELS)
