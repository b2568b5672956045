"""A small graph with one pattern of each kind planted in it, and the triples that follow from each.

Every pattern has entities and relations of its own, so that one training tells of all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from transa.graph import Graph, Triples, Vocabulary

SIZE = 24
"""Entities on either side of a pattern."""


@dataclass(frozen=True, eq=False)
class Planted:
    """The graph to train on, and by pattern what is held out of it, which follows from the rest."""

    graph: Graph
    held_out: dict[str, Triples]


@pytest.fixture(scope="session")
def planted() -> Planted:
    """All patterns in one graph."""
    rng = np.random.default_rng(0)
    entities, relations = count(), count()
    train, held_out = [], {}
    for pattern, plant in PATTERNS.items():
        kept, follows = plant(rng, entities, relations)
        train.append(kept)
        held_out[pattern] = follows.astype(np.int32)
    graph = Graph(
        np.concatenate(train).astype(np.int32),
        Vocabulary("entity", [f"e{i}" for i in range(next(entities))]),
        Vocabulary("relation", [f"r{i}" for i in range(next(relations))]),
        name="planted",
    )
    return Planted(graph, held_out)


def _take(ids: Iterator[int], n: int) -> NDArray[np.int64]:
    return np.fromiter(ids, np.int64, n)


def _link(heads: NDArray[np.int64], relation: int, tails: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.stack([heads, np.full_like(heads, relation), tails], axis=1)


def _hold_out(triples: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All but every seventh, and every seventh: no period of what is planted here."""
    chosen = np.arange(len(triples)) % 7 == 0
    return triples[~chosen], triples[chosen]


def _pairs(
    rng: np.random.Generator, entities: Iterator[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Two groups of entities; each of the one is with two of the other, drawn at random."""
    one, other = _take(entities, SIZE), _take(entities, SIZE)
    order = rng.permutation(SIZE)
    return np.tile(one, 2), np.concatenate([other[order], other[np.roll(order, 1)]])


def _symmetric(rng, entities, relations):
    """r(a, b) makes r(b, a) true."""
    (r,) = _take(relations, 1)
    a, b = _pairs(rng, entities)
    kept, follows = _hold_out(_link(b, r, a))
    return np.concatenate([_link(a, r, b), kept]), follows


def _inverse(rng, entities, relations):
    """r(a, b) makes s(b, a) true."""
    r, s = _take(relations, 2)
    a, b = _pairs(rng, entities)
    kept, follows = _hold_out(_link(b, s, a))
    return np.concatenate([_link(a, r, b), kept]), follows


def _composition(rng, entities, relations):
    """r(a, b) and s(b, c) make q(a, c) true."""
    r, s, q = _take(relations, 3)
    a, b, c = (_take(entities, SIZE) for _ in range(3))
    kept, follows = _hold_out(_link(a, q, c))
    return np.concatenate([_link(a, r, b), _link(b, s, c), kept]), follows


def _antisymmetric(rng, entities, relations):
    """r(a, b) makes r(b, a) false: four ranks, each above all of the next."""
    (r,) = _take(relations, 1)
    ranks = _take(entities, SIZE).reshape(4, -1)
    edges = [
        _link(np.repeat(upper, len(upper)), r, np.tile(lower, len(upper)))
        for upper, lower in pairwise(ranks)
    ]
    return _hold_out(np.concatenate(edges))


def _one_to_many(rng, entities, relations):
    """Heads of a class share its tails; what each tail has of its own keeps them apart."""
    r, own = _take(relations, 2)
    triples, owned = [], []
    for _ in range(SIZE // 4):
        heads, tails, things = (_take(entities, 4) for _ in range(3))
        triples.append(_link(np.repeat(heads, 4), r, np.tile(tails, 4)))
        owned.append(_link(tails, own, things))
    kept, follows = _hold_out(np.concatenate(triples))
    return np.concatenate([kept, *owned]), follows


PATTERNS = {
    "symmetric": _symmetric,
    "antisymmetric": _antisymmetric,
    "inverse": _inverse,
    "composition": _composition,
    "one-to-many": _one_to_many,
}
