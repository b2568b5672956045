from __future__ import annotations

import numpy as np
import pytest

from transa.errors import InputError
from transa.graph.graph import Graph, Vocabulary, no_triples


@pytest.fixture
def graph() -> Graph:
    return Graph(
        train=np.array([[0, 0, 1], [1, 0, 2]]),
        valid=np.array([[2, 0, 0]]),
        entities=Vocabulary("entity", ["a", "b", "c"]),
        relations=Vocabulary("relation", ["r"]),
        name="small",
    )


def test_it_knows_its_sizes_and_splits(graph):
    assert (graph.n_entities, graph.n_relations) == (3, 1)
    assert graph.split("valid") is graph.valid
    assert graph.split("test").shape == (0, 3)
    assert graph.known.tolist() == [[0, 0, 1], [1, 0, 2], [2, 0, 0]]
    assert repr(graph) == "Graph('small': 3 entities, 1 relations, 2 train / 1 valid / 0 test)"


def test_there_are_three_splits(graph):
    with pytest.raises(InputError, match="no split 'dev'; there are 'train', 'valid' and 'test'"):
        graph.split("dev")


def test_triples_are_contiguous_and_locked(graph):
    assert graph.train.flags.c_contiguous
    assert graph.train.dtype == np.int32
    with pytest.raises(ValueError, match="read-only"):
        graph.valid[0, 0] = 1


def test_a_graph_without_training_triples_is_refused(graph):
    with pytest.raises(InputError, match="graph 'empty' has no training triples"):
        Graph(no_triples(), graph.entities, graph.relations, name="empty")
