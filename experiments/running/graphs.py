"""The graphs of the experiments: data sets, files, and parts of them cut by relation."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from transa.datasets.sources import load_graph
from transa.errors import ConfigError
from transa.graph import Graph, Triples, Vocabulary

PARTS = 5
"""The paper cuts FB15K's 1,345 relations into five times 269."""
CUT_SEED = 2016

_PART = re.compile(r"(.+)/part([1-9])")


def part_name(graph: str, number: int) -> str:
    """What a part is called, counted from 1."""
    return f"{graph}/part{number}"


def whole_of(name: str) -> str:
    """The graph that a part is of; a whole graph is its own."""
    asked = _PART.fullmatch(name)
    return asked[1] if asked else name


# A part, and the whole that the next one is cut from.
@lru_cache(maxsize=2)
def graph_of(name: str) -> Graph:
    """A graph by name or path; ``NAME/part2`` is the second of its five parts."""
    asked = _PART.fullmatch(name)
    if asked is None:
        return load_graph(name)
    return part_of(graph_of(asked[1]), int(asked[2]))


def part_of(graph: Graph, number: int) -> Graph:
    """The triples of a fifth of the relations, with the entities that they have.

    The relations are shuffled with a fixed seed and dealt out evenly; what is left over when their
    number is no multiple of five is in no part.

    Raises:
        ConfigError: if there is no such part, or it has no training triples.
    """
    size = graph.n_relations // PARTS
    if not 1 <= number <= PARTS or size == 0:
        raise ConfigError(
            f"{graph.name} has parts 1 to {PARTS} if it has at least {PARTS} relations; "
            f"part {number} of {graph.n_relations} relations was asked for"
        )
    shuffled = np.random.default_rng(CUT_SEED).permutation(graph.n_relations)
    relations = np.sort(shuffled[(number - 1) * size : number * size])
    kept = {split: _of_relations(graph, split, relations) for split in ("train", "valid", "test")}
    entities = np.unique(np.concatenate(list(kept.values()))[:, [0, 2]])

    def renumbered(triples: Triples) -> Triples:
        columns = (entities, relations, entities)
        ids = [np.searchsorted(of, triples[:, i]) for i, of in enumerate(columns)]
        return np.stack(ids, axis=1).astype(np.int32)

    return Graph(
        train=renumbered(kept["train"]),
        valid=renumbered(kept["valid"]),
        test=renumbered(kept["test"]),
        entities=Vocabulary("entity", graph.entities.labels.gather(entities)),
        relations=Vocabulary("relation", graph.relations.labels.gather(relations)),
        name=part_name(graph.name, number),
    )


def _of_relations(graph: Graph, split: str, relations: np.ndarray) -> Triples:
    triples = graph.split(split)
    chosen: Triples = triples[np.isin(triples[:, 1], relations)]
    return chosen
