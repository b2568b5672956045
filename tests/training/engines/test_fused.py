"""The kernels compiled for a run do what the steps by themselves do."""

from __future__ import annotations

import numpy as np
import pytest

from tests.training.engines.steps_given import STEPS_GIVEN
from transa.errors import ConfigError
from transa.graph.sampling import draw, known_of
from transa.kernels.random import generator_state
from transa.margins import Fixed
from transa.models.distmult import DistMultEnergy
from transa.models.transe import TransEEnergy
from transa.models.transh import TransHEnergy
from transa.models.transr import TransREnergy
from transa.models.unstructured import UnstructuredEnergy
from transa.settings.recipe import Recipe
from transa.training.bucket import Bucket
from transa.training.engines.fused import FusedEngine, kernel_tables, rule_of, steps_of
from transa.training.loop import train
from transa.training.margins import Margins
from transa.training.optimisers import fresh_state

N_ENTITIES, N_RELATIONS, N_TRIPLES = 80, 5, 300


def a_run(energy, recipe):
    """What an engine trains on, always from the same beginning."""
    rng = np.random.default_rng(11)
    size = (N_TRIPLES, 3)
    triples = rng.integers(0, (N_ENTITIES, N_RELATIONS, N_ENTITIES), size).astype(np.int32)
    parameters = energy.initialise(N_ENTITIES, N_RELATIONS, rng)
    state = fresh_state(parameters, recipe.optimiser)
    known = known_of(triples, N_ENTITIES, N_RELATIONS, "uniform")
    margins = Margins(energy, recipe, triples, N_ENTITIES).current
    return Bucket(parameters, state, triples, known, margins)


def trained(energy, recipe):
    """The loss of an epoch on one thread, and what was learnt."""
    bucket = a_run(energy, recipe)
    engine = FusedEngine(energy, recipe, bucket)
    return engine.run(np.arange(bucket.n_blocks), (3,), threads=1), bucket.tables


@pytest.mark.parametrize(
    ("energy", "negatives", "optimiser", "constraint"),
    [
        (TransEEnergy(50, "l1"), 1, "sgd", "none"),
        (TransEEnergy(37, "l1"), 3, "adagrad", "ball"),
        (TransEEnergy(8, "l1"), 16, "adam", "none"),
        (UnstructuredEnergy(20), 3, "adagrad", "ball"),
        (TransHEnergy(20, "l1"), 3, "adagrad", "none"),
        (TransREnergy(20, "l2", 9), 3, "sgd", "ball"),
    ],
)
def test_blocks_are_the_steps_of_their_triples(energy, negatives, optimiser, constraint):
    recipe = Recipe(
        gamma=3.0,
        margin=Fixed(1.0),
        negatives=negatives,
        optimiser=optimiser,
        constraint=constraint,
        lr=0.05,
    )
    loss, parameters = trained(energy, recipe)
    bucket = a_run(energy, recipe)
    alone = bucket.tables
    before = {name: table.copy() for name, table in alone.items()}
    sides, drawn = draw(
        bucket.triples, np.arange(N_TRIPLES), bucket.known, negatives, generator_state(3, 0)
    )
    alone_loss = STEPS_GIVEN[type(energy)](
        *kernel_tables(steps_of(energy), alone, bucket.state),
        bucket.triples,
        sides,
        drawn,
        bucket.margins,
        rule_of(energy, recipe),
        *steps_of(energy).room(negatives, 0),
    )
    again_loss, again = trained(energy, recipe)

    assert loss == pytest.approx(alone_loss, rel=1e-5)
    assert loss == again_loss
    for name, table in parameters.items():
        np.testing.assert_allclose(table, alone[name], rtol=1e-3, atol=1e-5, err_msg=name)
        np.testing.assert_array_equal(table, again[name], "one thread is bit-identical")
        assert not np.array_equal(table, before[name]), "nothing was learnt"


def test_a_model_without_a_kernel_is_told_which_have_one(grid):
    names = "trains only .*transh, transr, unstructured, on the cpu and without dropout"
    with pytest.raises(ConfigError, match=names):
        train(DistMultEnergy(4), Recipe(engine="fused", margin=Fixed(1.0)), grid)
