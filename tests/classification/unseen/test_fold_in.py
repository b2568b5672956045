"""New rows for tables that are trained."""

from __future__ import annotations

import numpy as np
import pytest

from transa.classification.unseen.fold_in import FoldIn, fold_in
from transa.graph import Graph, Vocabulary
from transa.models import FittedModel, TransEEnergy

DIM, N = 6, 30


@pytest.fixture
def line():
    """Thirty entities on a line, each one step of the relation from the last; the last is new."""
    steps = np.arange(N, dtype=np.float32)[:, None]
    direction = np.full((1, DIM), 0.01, dtype=np.float32)
    parameters = {"entity": steps * direction, "relation": direction.copy()}
    parameters["entity"][-1] = parameters["entity"].mean(axis=0)
    triples = np.array([[i, 0, i + 1] for i in range(N - 1)], dtype=np.int32)
    labels = [str(i) for i in range(N)]
    graph = Graph(triples[:-1], Vocabulary("entity", labels), Vocabulary("relation", ["next"]))
    return parameters, graph, triples[-1:]


def fold(norm, parameters, graph, new, how):
    model = FittedModel(TransEEnergy(DIM, norm), parameters, graph)
    return fold_in(model, parameters, np.array([N - 1]), new, how)


@pytest.mark.parametrize("norm", ["l1", "l2", "l2sq"])
def test_a_new_entity_finds_its_place_and_nothing_else_moves(line, norm):
    parameters, graph, new = line
    before = {name: table.copy() for name, table in parameters.items()}
    found = fold(norm, parameters, graph, new, FoldIn())
    for name, table in before.items():
        np.testing.assert_array_equal(parameters[name], table)
    np.testing.assert_array_equal(found["relation"], before["relation"])
    np.testing.assert_array_equal(found["entity"][:-1], before["entity"][:-1])
    # Of all heads, the true one now moves nearest to it; at first it was in their midst.
    moved = found["entity"][:-1] + found["relation"][0]
    assert np.abs(moved - before["entity"][-1]).sum(axis=1).argmin() < N - 5
    assert np.abs(moved - found["entity"][-1]).sum(axis=1).argmin() == N - 2


def test_it_is_the_same_every_time(line):
    parameters, graph, new = line
    one, same, other = (
        fold("l1", parameters, graph, new, FoldIn(seed=seed))["entity"][-1] for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


@pytest.mark.parametrize("constraint", ["ball", "sphere", "none"])
def test_the_constraint_holds(line, constraint):
    parameters, graph, new = line
    far = {"entity": parameters["entity"] * 10, "relation": parameters["relation"] * 10}
    how = FoldIn(constraint=constraint, lr=0.5)
    found = fold("l1", far, graph, new, how)
    length = np.linalg.norm(found["entity"][-1])
    if constraint == "sphere":
        assert length == pytest.approx(1, abs=1e-5)
    elif constraint == "ball":
        assert length <= 1 + 1e-5
    else:
        assert length > 1.5
