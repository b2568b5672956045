"""A direct step equals its autograd twin: of every model, side, optimiser, penalty and margin."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from transa.graph.sampling import known_of
from transa.kernels.margins.readings import TripleMargins
from transa.kernels.training.sampling import HEAD, TAIL
from transa.margins import Fixed
from transa.models.complex import ComplExEnergy
from transa.models.distmult import DistMultEnergy
from transa.models.rescal import RESCALEnergy
from transa.models.rotate import RotatEEnergy
from transa.settings.recipe import Recipe
from transa.training.bucket import Bucket
from transa.training.engines.direct import DirectEngine
from transa.training.engines.questions import batches
from transa.training.engines.softmax import SoftmaxEngine
from transa.training.optimisers import fresh_state

N_ENTITIES, N_RELATIONS, DIM = 40, 3, 7


def energies():
    """Every model with queries, with and without a penalty; reciprocal ones ask for tails alone."""
    yield DistMultEnergy(DIM, l2=0.1, n3=0.3)
    yield ComplExEnergy(DIM, l2=0.0, n3=0.2)
    yield ComplExEnergy(DIM, l2=0.2, n3=0.0, reciprocal=True)
    yield RESCALEnergy(DIM, l2=0.05)
    yield RESCALEnergy(DIM, l2=0.0, dura=0.1, reciprocal=True)
    yield RESCALEnergy(DIM, l2=0.02, dura=0.1, reciprocal=True)
    yield RotatEEnergy(DIM)
    yield RotatEEnergy(DIM, reciprocal=True)


def a_bucket(energy, optimiser, triples):
    rng = np.random.default_rng(5)
    tables = energy.initialise(N_ENTITIES, N_RELATIONS, rng)
    n_relations = energy.relation_rows(N_RELATIONS)
    known = known_of(triples, N_ENTITIES, n_relations, "uniform")
    none, zero = np.zeros(len(triples), np.int32), np.zeros(1, np.float32)
    margins = TripleMargins(none, zero, none, zero)
    return Bucket(tables, fresh_state(tables, optimiser), triples, known, margins)


@pytest.mark.parametrize("dropout", [0.0, 0.4])
@pytest.mark.parametrize(
    ("energy", "optimiser", "constraint"),
    list(itertools.product(energies(), ("sgd", "adagrad", "adam"), ("none", "ball"))),
)
def test_a_step_is_that_of_autograd(energy, optimiser, constraint, dropout, monkeypatch):
    # Few questions at a time, so that a batch takes several.
    monkeypatch.setattr("transa.training.engines.direct._FEWEST", 3)
    monkeypatch.setattr("transa.training.engines.direct._SCORES", 1)
    rng = np.random.default_rng(2)
    shape = (N_ENTITIES, energy.relation_rows(N_RELATIONS), N_ENTITIES)
    triples = rng.integers(0, shape, (60, 3)).astype(np.int32)
    triples[1] = triples[0]
    recipe = Recipe(
        loss="softmax",
        margin=Fixed(0),
        optimiser=optimiser,
        constraint=constraint,
        dropout=dropout,
        lr=0.05,
        batch=16,
        negatives=8,
        threads=1,
    )
    buckets = [a_bucket(energy, optimiser, triples) for _ in range(2)]
    twins = [
        kind(energy, recipe, of)
        for kind, of in zip((DirectEngine, SoftmaxEngine), buckets, strict=True)
    ]
    for engine in twins:
        engine.throw_anew((1, 2))
    sides = (TAIL,) if energy.reciprocal else (HEAD, TAIL)
    # Of a repeated triple both have the same.
    margins = rng.uniform(0, 4, len(triples)).astype(np.float32)
    margins[1] = margins[0]
    for every, held in ((False, False), (True, True)):
        for some in batches(triples, sides, 16, rng, by_relation=energy.by_relation):
            candidates = np.arange(N_ENTITIES) if every else twins[0].candidates(some, rng)
            own = margins[some.triple] if held else None
            direct, autograd = (engine.step(some, candidates, own) for engine in twins)
            assert direct == pytest.approx(autograd, rel=1e-4)
    for group in ("tables", "state"):
        for name, array in getattr(buckets[0], group).items():
            expected = getattr(buckets[1], group)[name]
            np.testing.assert_allclose(array, expected, rtol=2e-3, atol=2e-4, err_msg=name)
