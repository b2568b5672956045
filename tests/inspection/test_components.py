"""Components and hubs of graphs whose shape is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from transa import from_ids, from_labels
from transa.inspection.components import component_ids, components_of, hubs_of


@pytest.mark.parametrize(("n", "edges"), [(50, 10), (200, 150), (300, 400), (40, 1)])
def test_components_are_those_that_scipy_finds(n, edges):
    rng = np.random.default_rng(n)
    triples = rng.integers(0, n, (edges, 3)).astype(np.int32)
    link = coo_array((np.ones(edges), (triples[:, 0], triples[:, 2])), shape=(n, n))
    count, wanted = connected_components(link, directed=False)
    found = component_ids(triples, n)
    assert len(np.unique(found)) == count
    assert len(np.unique(np.stack([found, wanted]), axis=1).T) == count


def test_a_long_road_is_one_component():
    order = np.random.default_rng(0).permutation(5000)
    road = np.stack([order[:-1], np.zeros(4999, int), order[1:]], axis=1)
    assert set(component_ids(road.astype(np.int32), 5000)) == {0}


def test_entities_that_only_test_has_are_in_none():
    graph = from_ids([[0, 0, 1], [2, 0, 3], [3, 0, 4]], test=[[0, 0, 5]])
    found = components_of(graph)
    assert (found.count, found.largest, found.pairs) == (2, 3, 1)


def test_hubs_count_a_loop_once():
    graph = from_labels(
        [("a", "r", "a"), ("a", "r", "b"), ("c", "r", "a"), ("c", "r", "b")], split=None
    )
    first, second = hubs_of(graph, 2)
    assert (first.entity, first.outgoing, first.incoming, first.share) == ("a", 2, 2, 0.75)
    assert second.share == 0.5
