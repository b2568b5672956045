"""Graphs and models that the tests of evaluation share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from transa.graph import Graph, Vocabulary
from transa.models import TransEEnergy


@dataclass(frozen=True)
class Redefined(TransEEnergy):
    """TransE by another name, which the fused path must leave to the generic one."""

    def energy(self, parameters, h, r, t):
        return super().energy(parameters, h, r, t)


@pytest.fixture
def generic():
    """The class of an energy that only the generic path can rank."""
    return Redefined


@pytest.fixture(params=[TransEEnergy, Redefined], ids=["fused", "generic"])
def transe(request):
    """The class of an energy that is ranked by one path or the other."""
    return request.param


@pytest.fixture
def graph() -> Graph:
    """Thirty entities, four relations, random triples in three splits."""
    rng = np.random.default_rng(7)
    triples = np.unique(rng.integers(0, [30, 4, 30], (300, 3)), axis=0)
    rng.shuffle(triples)
    return Graph(
        train=triples[:200],
        valid=triples[200:230],
        test=triples[230:],
        entities=Vocabulary("entity", [f"e{i}" for i in range(30)]),
        relations=Vocabulary("relation", ["likes", "knows[well]", "is in", "has"]),
        name="random",
    )


@pytest.fixture
def parameters(graph):
    """Random vectors of eight dimensions."""
    energy = TransEEnergy(dim=8)
    return energy.initialise(graph.n_entities, graph.n_relations, np.random.default_rng(1))
