"""Parts of a graph, cut by relation."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.running.graphs import PARTS, graph_of, part_name, part_of, whole_of
from transa.datasets.sources import load_graph
from transa.errors import ConfigError


def labelled(graph, split):
    heads, relations, tails = graph.split(split).T
    return set(
        zip(
            graph.entities.labels.gather(heads),
            graph.relations.labels.gather(relations),
            graph.entities.labels.gather(tails),
            strict=True,
        )
    )


@pytest.mark.parametrize("split", ["train", "valid", "test"])
def test_parts_are_disjoint_and_keep_splits_and_labels(ring, split):
    whole = load_graph(ring)
    parts = [labelled(part_of(whole, i + 1), split) for i in range(PARTS)]
    assert sum(map(len, parts)) == len(set().union(*parts))
    # Five relations are dealt out to five parts, so that nothing is left over.
    assert set().union(*parts) == labelled(whole, split)


def test_a_part_has_only_entities_that_it_uses(ring):
    part = part_of(load_graph(ring), 2)
    assert np.array_equal(np.unique(part.known[:, [0, 2]]), np.arange(part.n_entities))
    assert part.n_relations == 1


def test_a_part_by_name(ring):
    name = part_name(ring, 3)
    assert labelled(graph_of(name), "train") == labelled(part_of(load_graph(ring), 3), "train")
    assert whole_of(name) == whole_of(ring) == ring


def test_no_such_part(ring, atlas):
    with pytest.raises(ConfigError, match="parts 1 to 5"):
        part_of(load_graph(ring), 6)
    with pytest.raises(ConfigError, match="2 relations"):
        part_of(atlas, 1)


def test_the_parts_of_fb15k_are_as_large_as_the_papers(datasets, monkeypatch):
    monkeypatch.setenv("TRANSA_DATA", str(datasets))
    part = graph_of("fb15k/part1")
    assert part.n_relations == 269
    # The paper's own cut: 13,666 and 13,603 entities.
    assert part.n_entities > 12_000
