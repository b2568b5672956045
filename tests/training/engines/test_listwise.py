"""The listwise loss: its two engines agree, every model learns by it, and what is refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

import transa
from transa.errors import ConfigError
from transa.graph.sampling import known_of
from transa.margins import Adaptive, Fixed
from transa.models.registry import MODELS
from transa.models.transe import TransEEnergy
from transa.settings.recipe import Recipe
from transa.training.bucket import Bucket
from transa.training.engines import engine_for
from transa.training.engines.fused import FusedEngine
from transa.training.engines.listwise import ListwiseEngine, listwise_loop, own_weights
from transa.training.margins import Margins
from transa.training.optimisers import fresh_state

N_ENTITIES, N_RELATIONS, N_TRIPLES = 40, 3, 50


def a_bucket(energy, recipe, tail_share=1.0):
    """One block of triples, always from the same beginning; one answer is its own anchor."""
    rng = np.random.default_rng(4)
    size = (N_TRIPLES, 3)
    triples = rng.integers(0, (N_ENTITIES, N_RELATIONS, N_ENTITIES), size).astype(np.int32)
    triples[0, 2] = triples[0, 0]
    tables = energy.initialise(N_ENTITIES, N_RELATIONS, rng)
    tables["entity"] *= rng.uniform(0.5, 0.95, (N_ENTITIES, 1)).astype(np.float32)
    known = known_of(triples, N_ENTITIES, N_RELATIONS, "uniform", tail_share=tail_share)
    margins = Margins(energy, recipe, triples, N_ENTITIES)
    if not isinstance(recipe.margin, Fixed):
        margins.compute(tables, 0, threads=1)
    state = fresh_state(tables, recipe.optimiser)
    return Bucket(tables, state, triples, known, margins.current)


@pytest.mark.parametrize(
    ("norm", "optimiser", "constraint", "margin", "share", "side"),
    [
        each
        for each in itertools.product(
            ("l1", "l2", "l2sq"),
            ("sgd", "adagrad", "adam"),
            ("ball", "none"),
            (Fixed(0.0), Adaptive(local=1.0)),
            (0.0, 0.3),
            (0, 1),
        )
        # Pulls on a query cancel to rounding noise there, which Adam scales up to a full step.
        if not (each[0] == "l1" and each[1] == "adam" and each[4] == 0)
    ],
)
def test_with_all_entities_the_engines_agree(norm, optimiser, constraint, margin, share, side):
    """K = n leaves nothing to chance: a block is one batch, and its step exact."""
    energy = TransEEnergy(12, norm)
    recipe = Recipe(
        loss="listwise",
        negatives=N_ENTITIES,
        optimiser=optimiser,
        constraint=constraint,
        margin=margin,
        logistic_share=share,
        gamma=2.0,
        scale=1.3,
        lr=0.05,
    )
    ours, theirs = (a_bucket(energy, recipe, tail_share=float(side)) for _ in range(2))
    before = ours.tables["entity"].copy()
    fused = FusedEngine(energy, recipe, ours, listwise_loop).run(np.arange(1), (3,), threads=1)
    sides = np.full(N_TRIPLES, side, dtype=np.int8)
    autograd = ListwiseEngine(energy, recipe, theirs)
    loss = autograd.step(np.arange(N_TRIPLES), sides, np.arange(N_ENTITIES))
    assert fused == pytest.approx(loss, rel=1e-4)
    assert not np.array_equal(ours.tables["entity"], before)
    for name, table in ours.tables.items():
        np.testing.assert_allclose(table, theirs.tables[name], rtol=2e-3, atol=2e-4, err_msg=name)


def test_with_all_entities_and_no_margin_it_is_cross_entropy():
    energy = TransEEnergy(12, "l1")
    recipe = Recipe(loss="listwise", negatives=N_ENTITIES, margin=Fixed(0.0), logistic_share=0.0)
    bucket = a_bucket(energy, recipe)
    entity, relation = (torch.from_numpy(t.copy()) for t in bucket.tables.values())
    h, r, t = (torch.from_numpy(c.astype(np.int64)) for c in bucket.triples.T)
    logits = -(entity[h] + relation[r])[:, None].sub(entity[None]).abs().sum(-1)
    total, own = 0.0, own_weights(bucket, N_RELATIONS)
    for i in range(N_TRIPLES):
        true = {c for a, b, c in bucket.triples.tolist() if (a, b) == (int(h[i]), int(r[i]))}
        others = [e for e in range(N_ENTITIES) if e not in true]
        if not own[r[i]]:
            others = [e for e in others if e != int(h[i])]
        kept = logits[i, [int(t[i]), *others]]
        total -= float(torch.log_softmax(kept, 0)[0])
    sides = np.ones(N_TRIPLES, dtype=np.int8)
    engine = ListwiseEngine(energy, recipe, bucket)
    found = engine.step(np.arange(N_TRIPLES), sides, np.arange(N_ENTITIES))
    assert found == pytest.approx(total, rel=1e-4)


@pytest.mark.parametrize("name", sorted(MODELS))
def test_every_model_learns_by_it(name, grid):
    options = {"loss": "listwise", "negatives": 20, "optimiser": "adagrad", "lr": 0.1}
    run = {"epochs": 4, "threads": 1, "validate_every": 0}
    model = transa.Estimator(name, dim=6, **options, **run).fit(grid)
    losses = [line.loss for line in model.history_]
    assert losses[-1] < losses[0]


def test_anchors_count_unless_a_relation_is_symmetric_with_few_answers():
    pairs = [(a, a + 1) for a in range(0, 20, 2)]
    symmetric = [(a, 0, b) for a, b in pairs] + [(b, 0, a) for a, b in pairs]
    one_way = [(a, 1, b) for a, b in pairs]
    crowd = [(a, 2, b) for a in range(20) for b in range(20)]
    triples = np.array(symmetric + one_way + crowd, dtype=np.int32)
    bucket = Bucket({}, {}, triples, known_of(triples, 20, 3, "uniform"), None)
    np.testing.assert_array_equal(own_weights(bucket, 3), [0, 1, 1])


@pytest.mark.parametrize(
    ("model", "options", "words"),
    [
        ("distmult", {"engine": "fused"}, "listwise loss for transa and transe alone"),
        ("transe", {"same_position": 0.5}, "same_position would change nothing"),
    ],
)
def test_what_does_not_go_together_is_told(model, options, words, grid):
    with pytest.raises(ConfigError, match=words):
        transa.Estimator(model, loss="listwise", epochs=1, **options).fit(grid)


def test_scale_is_of_this_loss_alone():
    with pytest.raises(ConfigError, match="scale is of the listwise loss"):
        transa.TransE(scale=2.0, loss="logistic")


@pytest.mark.parametrize(
    ("energy", "options", "name"),
    [
        (TransEEnergy(4), {}, "listwise, fused"),
        (TransEEnergy(4), {"engine": "autograd"}, "listwise"),
        (TransEEnergy(4), {"dropout": 0.1}, "listwise"),
        (MODELS["rotate"].energy(4), {}, "listwise"),
    ],
)
def test_which_engine_is_meant(energy, options, name):
    assert engine_for(energy, Recipe(loss="listwise", **options)).name == name
