"""False triples where a graph comes without any, in the manner of Socher et al. 2013.

A position is corrupted only with an entity that some triple of the graph has in that position of
that relation, so that the false triple is not absurd at a glance; and never into a triple that the
graph has, in any split. Head or tail is a fair coin; in their files it is always the tail.

The same graph, split and seed give everybody the same triples: random bits come straight from a
bit generator, whose stream NumPy keeps from version to version.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transa.errors import InputError, checked_seed
from transa.graph import Graph, Triples
from transa.graph.known import SIDES, SPLITS, Side, columns_of

# Random draws before the few triples that are left are tried with every candidate.
_ROUNDS = 20
# Candidates that a search looks at first; twice as many each time that it finds none free.
_TOGETHER = 16


@dataclass(frozen=True, eq=False)
class Negatives:
    """False triples, one for a true one where there is any.

    Attributes:
        triples: the false triples, in the order of the true ones.
        of: for each, the row of its true triple in the split.
    """

    triples: Triples
    of: NDArray[np.int64]


def make_negatives(graph: Graph, split: str, seed: int = 0) -> Negatives:
    """A false triple for every triple of a split, no two the same.

    A triple of which no false one can be made (all entities of either position make a known triple)
    has none: `of` does not name it.

    Args:
        graph: all of whose splits count as known, and whose entities are drawn.
        split: 'train', 'valid' or 'test'.
        seed: of the draw.

    Example:
        >>> import transa
        >>> graph = transa.datasets.load("countries")
        >>> made = make_negatives(graph, "test")
        >>> len(made.triples) == len(graph.test)
        True
    """
    true = graph.split(split)
    bits = np.random.PCG64(np.random.SeedSequence([checked_seed(seed), SPLITS.index(split)]))
    taken = _Taken(graph)
    candidates = {side: _Candidates.of(graph, side) for side in SIDES}
    false = true.copy()
    open_rows = np.arange(len(true))
    for _ in range(_ROUNDS):
        drawn = _draw(true[open_rows], candidates, bits)
        free = taken.claim(drawn)
        false[open_rows[free]] = drawn[free]
        open_rows = open_rows[~free]
    # What chance did not find, a search does, if there is any.
    made = np.ones(len(true), dtype=np.bool_)
    for row in open_rows:
        found = _search(true[row], candidates, taken)
        made[row] = found is not None
        false[row] = true[row] if found is None else found
    return Negatives(false[made], np.flatnonzero(made))


@dataclass(frozen=True, eq=False)
class _Candidates:
    """The distinct entities of one position, for each relation: pool[first[r]] … first[r + 1]."""

    first: NDArray[np.int64]
    pool: NDArray[np.int32]

    @classmethod
    def of(cls, graph: Graph, side: Side) -> _Candidates:
        # What stands on one side is what the questions for the other are anchored at.
        other = graph.index.tails if side == "head" else graph.index.heads
        relation, entity = np.divmod(other.keys, graph.n_entities)
        first = np.searchsorted(relation, np.arange(graph.n_relations + 1))
        return cls(first, entity.astype(np.int32))

    def drawn(self, relations: NDArray[np.int32], bits: NDArray[np.uint64]) -> NDArray[np.int32]:
        """One entity for each relation."""
        sizes = (self.first[relations + 1] - self.first[relations]).astype(np.uint64)
        # The remainder favours none: there are far fewer entities than 64-bit numbers.
        return self.pool[self.first[relations] + (bits % sizes).astype(np.int64)]

    def all(self, relation: int) -> NDArray[np.int32]:
        return self.pool[self.first[relation] : self.first[relation + 1]]


class _Taken:
    """Triples that may not be drawn: those of the graph, and those drawn before."""

    def __init__(self, graph: Graph) -> None:
        self._sizes = (graph.n_entities, graph.n_relations)
        if graph.n_entities**2 * graph.n_relations > np.iinfo(np.int64).max:
            raise InputError(
                f"graph {graph.name!r} is too large to make false triples for; give your own"
            )
        self._keys = np.unique(self._keys_of(graph.known))
        self._searched: set[np.int64] = set()
        self._passed: dict[tuple[int, int, int], int] = {}

    def claim(self, triples: Triples) -> NDArray[np.bool_]:
        """Which of these are not taken; from now on they are. Of equal ones the first is free."""
        keys = self._keys_of(triples)
        free = np.zeros(len(keys), dtype=np.bool_)
        free[np.unique(keys, return_index=True)[1]] = True
        free &= ~self._has(keys)
        new = np.sort(keys[free])
        self._keys = np.insert(self._keys, np.searchsorted(self._keys, new), new)
        return free

    def claim_first(self, triple: Triples, column: int, pool: NDArray[np.int32]) -> Triples | None:
        """The first free triple with one of the pool in that column; from now on it is taken.

        A question is searched on from where its last search ended, since what is taken stays so:
        all searches together pass over each taken triple once, however many a hub has.
        """
        question = (column, int(triple[1]), int(triple[2 - column]))
        at, width = self._passed.get(question, 0), _TOGETHER
        while at < len(pool):
            some = np.tile(triple, (min(width, len(pool) - at), 1))
            some[:, column] = pool[at : at + width]
            keys = self._keys_of(some)
            for i in np.flatnonzero(~self._has(keys)):
                if keys[i] not in self._searched:
                    self._searched.add(keys[i])
                    self._passed[question] = at + int(i) + 1
                    found: Triples = some[i]
                    return found
            at, width = at + width, 2 * width
        self._passed[question] = len(pool)
        return None

    def _has(self, keys: NDArray[np.int64]) -> NDArray[np.bool_]:
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        found: NDArray[np.bool_] = self._keys[place] == keys
        return found

    def _keys_of(self, triples: Triples) -> NDArray[np.int64]:
        n_entities, n_relations = self._sizes
        head, relation, tail = triples.astype(np.int64).T
        keys: NDArray[np.int64] = (head * n_relations + relation) * n_entities + tail
        return keys


def _draw(triples: Triples, candidates: dict[Side, _Candidates], bits: np.random.PCG64) -> Triples:
    drawn = triples.copy()
    coin, entity = bits.random_raw(2 * len(triples)).reshape(2, -1)
    for side, heads_up in zip(SIDES, (0, 1), strict=True):
        _, column = columns_of(side)
        rows = np.flatnonzero(coin >> np.uint64(63) == heads_up)
        drawn[rows, column] = candidates[side].drawn(triples[rows, 1], entity[rows])
    return drawn


def _search(triple: Triples, candidates: dict[Side, _Candidates], taken: _Taken) -> Triples | None:
    """The first corruption that is free, tails before heads."""
    for side in reversed(SIDES):
        _, column = columns_of(side)
        found = taken.claim_first(triple, column, candidates[side].all(int(triple[1])))
        if found is not None:
            return found
    return None
