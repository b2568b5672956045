"""The kernel compiled for a run does what the steps by themselves do."""

from __future__ import annotations

import numpy as np
import pytest

from transa.kernels.random import generator_state
from transa.kernels.rule import scratch
from transa.kernels.translation import step_given
from transa.margins import Fixed
from transa.models import TransEEnergy
from transa.training.fused import FusedEngine, rule_of, table_of
from transa.training.margins import Margins
from transa.training.optimisers import fresh_state
from transa.training.recipe import Recipe
from transa.training.sampling import draw, known_of
from transa.training.work import Work

N_ENTITIES, N_RELATIONS, N_TRIPLES = 80, 5, 300


def a_run(dim, recipe):
    """An engine with its arrays, always from the same beginning."""
    rng = np.random.default_rng(11)
    size = (N_TRIPLES, 3)
    triples = rng.integers(0, (N_ENTITIES, N_RELATIONS, N_ENTITIES), size).astype(np.int32)
    energy = TransEEnergy(dim, "l1")
    parameters = energy.initialise(N_ENTITIES, N_RELATIONS, rng)
    state = fresh_state(parameters, recipe.optimiser)
    work = Work(triples, known_of(triples, N_ENTITIES, N_RELATIONS, "uniform"))
    margins = Margins(energy, recipe, triples, N_ENTITIES).current
    return energy, parameters, state, work, margins


@pytest.mark.parametrize(
    ("dim", "negatives", "optimiser", "constraint"),
    [(50, 1, "sgd", "none"), (37, 3, "adagrad", "ball"), (8, 16, "adam", "none")],
)
def test_blocks_are_the_steps_of_their_triples(dim, negatives, optimiser, constraint):
    recipe = Recipe(
        gamma=3.0,
        margin=Fixed(1.0),
        negatives=negatives,
        optimiser=optimiser,
        constraint=constraint,
        lr=0.05,
    )
    energy, parameters, state, work, margins = a_run(dim, recipe)
    engine = FusedEngine(energy, recipe, parameters, state, work)
    loss = engine.run(np.arange(work.n_blocks), margins, (3,), threads=1)

    _, alone, alone_state, _, _ = a_run(dim, recipe)
    sides, drawn = draw(
        work.triples, np.arange(N_TRIPLES), work.known, negatives, generator_state(3, 0)
    )
    alone_loss = step_given(
        table_of("entity", alone, alone_state),
        table_of("relation", alone, alone_state),
        work.triples,
        sides,
        drawn,
        margins,
        rule_of(energy, recipe),
        scratch(dim, negatives),
    )

    assert loss == pytest.approx(alone_loss, rel=1e-5)
    for name, table in parameters.items():
        np.testing.assert_allclose(table, alone[name], rtol=1e-3, atol=1e-5, err_msg=name)
        assert not np.array_equal(table, a_run(dim, recipe)[1][name]), "nothing was learnt"
