"""The graph: integer triples, two vocabularies, three splits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from transa.errors import InputError
from transa.graph.known import SPLITS, KnownIndex
from transa.graph.once import once
from transa.graph.vocabulary import Vocabulary

if TYPE_CHECKING:
    from transa.graph.building.report import ReadReport

Triples: TypeAlias = NDArray[np.int32]
"""Shape (n, 3), C-contiguous: head, relation, tail ids."""


def no_triples() -> Triples:
    """An empty split."""
    return np.empty((0, 3), dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Graph:
    """A knowledge graph, immutable.

    Invariants: every id is in range of its vocabulary; `train` is not empty; arrays are read-only.
    `report` is what reading the graph found, if it was read.

    Example:
        >>> import transa
        >>> graph = transa.from_labels([("France", "borders", "Spain")])
        >>> graph.entities.labels.to_list(), graph.train.tolist()
        (['France', 'Spain'], [[0, 0, 1]])
    """

    train: Triples
    entities: Vocabulary
    relations: Vocabulary
    valid: Triples = field(default_factory=no_triples)
    test: Triples = field(default_factory=no_triples)
    name: str = "graph"
    report: ReadReport | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.entities, Vocabulary) and isinstance(self.relations, Vocabulary)):
            raise InputError("entities and relations are of the type transa.Vocabulary")
        if not isinstance(self.name, str):
            raise InputError(f"the name of a graph is a string, found {self.name!r:.100}")
        for split in SPLITS:
            triples = checked_triples(
                getattr(self, split), split, len(self.entities), len(self.relations)
            )
            object.__setattr__(self, split, triples)
        if len(self.train) == 0:
            raise InputError(f"graph {self.name!r} has no training triples; at least one is needed")

    @property
    def n_entities(self) -> int:
        """How many entities there are, those of valid and test included."""
        return len(self.entities)

    @property
    def n_relations(self) -> int:
        """How many relations there are."""
        return len(self.relations)

    def split(self, name: str) -> Triples:
        """The triples of 'train', 'valid' or 'test'."""
        if name not in SPLITS:
            raise InputError(f"no split {name!r}; there are 'train', 'valid' and 'test'")
        triples: Triples = getattr(self, name)
        return triples

    def n_triples(self, split: str) -> int:
        """How many triples a split has."""
        return len(self.split(split))

    @once
    def known(self) -> Triples:
        """All triples of all splits: what a filtered rank leaves out."""
        known = np.concatenate([self.train, self.valid, self.test])
        known.flags.writeable = False
        return known

    @once
    def seen(self) -> NDArray[np.bool_]:
        """Per entity, whether a training triple has it; nothing was learnt of the others."""
        seen = np.zeros(self.n_entities, dtype=np.bool_)
        seen[self.train[:, 0]] = seen[self.train[:, 2]] = True
        seen.flags.writeable = False
        return seen

    @once
    def paired(self) -> float:
        """The share of training triples whose two entities another one joins as well."""
        h, _, t = self.train.T
        pairs = np.minimum(h, t) * np.int64(self.n_entities) + np.maximum(h, t)
        pairs.sort()
        again = np.zeros(len(pairs) + 1, dtype=np.bool_)
        again[1:-1] = pairs[1:] == pairs[:-1]
        return round(float((again[1:] | again[:-1]).mean()), 3)

    @once
    def index(self) -> KnownIndex:
        """The same, by question: which answers the graph has already."""
        ends = np.cumsum([len(self.split(split)) for split in SPLITS]).tolist()
        return KnownIndex(self.known, self.n_entities, self.n_relations, tuple(ends))

    def __repr__(self) -> str:
        return (
            f"Graph({self.name!r}: {self.n_entities:,} entities, {self.n_relations:,} relations, "
            f"{self.n_triples('train'):,} train / {len(self.valid):,} valid / "
            f"{len(self.test):,} test)"
        )


def as_triples(ids: object, what: str) -> NDArray[np.integer]:
    """`ids` as an array of shape (n, 3) of integers; an empty sequence has no shape to check."""
    try:
        array = np.asarray(ids)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{what}: triples have shape (n, 3), found none ({error})") from error
    if array.size == 0:
        return no_triples()
    if array.ndim != 2 or array.shape[1] != 3:
        raise InputError(f"{what}: triples have shape (n, 3), found {array.shape}")
    if not np.issubdtype(array.dtype, np.integer):
        raise InputError(f"{what}: ids are integers, found {array.dtype}")
    return array


def inverses_of(triples: Triples, n_relations: int) -> Triples:
    """(t, r⁻¹, h) of each; inverses of relations are numbered after all of these."""
    h, r, t = triples.T
    return np.stack([t, r + np.int32(n_relations), h], axis=1)


def checked_triples(
    triples: NDArray[np.integer], split: str, n_entities: int, n_relations: int
) -> Triples:
    """A locked copy of `triples`, all of whose ids are in range."""
    array = as_triples(triples, split)
    sizes = (n_entities, n_relations, n_entities)
    for column, (size, what) in enumerate(zip(sizes, ("head", "relation", "tail"), strict=True)):
        ids = array[:, column]
        bad = np.flatnonzero((ids < 0) | (ids >= size))
        if len(bad):
            row = int(bad[0])
            raise InputError(
                f"{split}: row {row} has {what} id {int(ids[row])}, expected 0 to {size - 1}"
            )
    # A copy, so that locking it does not lock the caller's array.
    locked: Triples = np.array(array, dtype=np.int32, order="C")
    locked.setflags(write=False)
    return locked
