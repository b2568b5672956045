"""Alternating least squares against the dense formulas that it is written from."""

from __future__ import annotations

import numpy as np
import pytest

from transa import Estimator
from transa.errors import ConfigError
from transa.graph import Graph, Vocabulary
from transa.margins import Fixed
from transa.models.fitted import FittedModel
from transa.models.rescal import RESCALEnergy
from transa.ranking import quick_metrics
from transa.settings.recipe import Recipe
from transa.training.loop import Run

N, M, DIM, RIDGE = 9, 2, 4, 0.3
RECIPE = Recipe(
    optimiser="als",
    margin=Fixed(0),
    constraint="none",
    threads=1,
    epochs=30,
    validate_every=0,
)


def graph_of(triples, n=N, m=M, valid=None):
    return Graph(
        np.array(triples, dtype=np.int32),
        Vocabulary("entity", [f"e{i}" for i in range(n)]),
        Vocabulary("relation", [f"r{i}" for i in range(m)]),
        valid=np.array(valid if valid is not None else np.empty((0, 3)), dtype=np.int32),
        name="dense",
    )


@pytest.fixture
def graph():
    rng = np.random.default_rng(0)
    triples = rng.integers(0, (N, M, N), (40, 3))
    # A repeated triple is as true as it was.
    return graph_of(np.concatenate([triples, triples[:1]]))


def slices_of(graph):
    slices = np.zeros((graph.n_relations, graph.n_entities, graph.n_entities))
    slices[graph.train[:, 1], graph.train[:, 0], graph.train[:, 2]] = 1
    return slices


def solved_relations(a, x):
    both = np.kron(a, a)
    ridge = both.T @ both + RIDGE * np.eye(DIM * DIM)
    return [np.linalg.solve(ridge, both.T @ part.ravel()).reshape(DIM, DIM) for part in x]


def solved_entities(a, r, x):
    gram = a.T @ a
    wanted = sum(x[k] @ a @ r[k].T + x[k].T @ a @ r[k] for k in range(M))
    weights = sum(r[k] @ gram @ r[k].T + r[k].T @ gram @ r[k] for k in range(M))
    return wanted @ np.linalg.inv(weights + RIDGE * np.eye(DIM))


def test_a_sweep_is_what_the_paper_says(graph):
    run = Run(RESCALEnergy(dim=DIM, ridge=RIDGE), RECIPE, graph, None)
    run.one_epoch()
    a, r = (run.parameters[name].astype(np.float64) for name in ("entity", "relation"))
    x = slices_of(graph)
    a = solved_entities(a, r, x)
    r = solved_relations(a, x)

    report = run.one_epoch()

    np.testing.assert_allclose(run.parameters["entity"], a, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(run.parameters["relation"], r, rtol=1e-3, atol=1e-4)
    error = sum(np.sum((x[k] - a @ r[k] @ a.T) ** 2) + RIDGE * np.sum(r[k] ** 2) for k in range(M))
    total = error + RIDGE * np.sum(a**2)
    assert report.loss * len(graph.train) == pytest.approx(total, rel=1e-4)


def test_what_is_left_falls_from_sweep_to_sweep(graph):
    run = Run(RESCALEnergy(dim=DIM, ridge=RIDGE), RECIPE, graph, None)
    losses = [run.one_epoch().loss for _ in range(20)]
    assert losses[-1] < 0.9 * losses[0]
    assert losses[-1] <= min(losses) * 1.001


def test_a_sparse_graph_does_not_vanish_under_the_ridge():
    cliques = [(6 * c + a, 0, 6 * c + b) for c in range(20) for a in range(6) for b in range(6)]
    run = Run(RESCALEnergy(dim=20, ridge=1), RECIPE, graph_of(cliques, n=120), None)
    # All that is left of the sum of squares, when nothing is explained, is 1 a triple.
    assert [run.one_epoch().loss for _ in range(3)][-1] < 0.5


def test_no_ridge_is_no_division_by_zero():
    # One triple: of four dimensions the entities use one.
    run = Run(RESCALEnergy(dim=DIM, ridge=0), RECIPE, graph_of([(0, 0, 1)]), None)
    for _ in range(3):
        run.one_epoch()
    assert all(np.isfinite(table).all() for table in run.parameters.values())


def test_held_out_triples_of_a_blockwise_graph_come_first():
    circle = [(a, 0, b) for a in range(12) for b in range(12) if (a < 6) == (b < 6)]
    one_way = [(a, 1, b) for a in range(6) for b in range(6, 12)]
    triples = circle + one_way
    held_out = triples[::9]
    rest = [triple for triple in triples if triple not in held_out]
    graph = graph_of(rest, n=12, valid=held_out)
    energy = RESCALEnergy(dim=4, ridge=1)
    run = Run(energy, RECIPE, graph, None)
    for _ in range(15):
        run.one_epoch()
    model = FittedModel(energy, run.parameters, graph)
    assert quick_metrics(model, graph.valid).mrr > 0.95


def test_it_solves_rescal_alone(graph):
    with pytest.raises(ConfigError, match="solves rescal alone"):
        Estimator("distmult", optimiser="als").fit(graph)


def test_it_cannot_keep_entities_in_a_ball(graph):
    with pytest.raises(ConfigError, match="in the ball"):
        Estimator("rescal", optimiser="als", constraint="ball").fit(graph)
