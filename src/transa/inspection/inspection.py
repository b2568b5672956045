"""All that a look at a graph finds."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from transa.datasets.sources import load_graph
from transa.graph import Graph
from transa.graph.building.duplicates import count_repeats, count_shared, keys_by_split
from transa.graph.known import SPLITS
from transa.inspection.components import Components, Hub, components_of, hubs_of
from transa.inspection.copies import copies_in
from transa.inspection.leakage import Leakage, leakage_of
from transa.inspection.relations import RelationKind, relation_kinds
from transa.inspection.report import inspection_tables
from transa.tables import Printed

if TYPE_CHECKING:
    from rich.console import Group


@dataclass(frozen=True)
class SplitLook:
    """One split.

    Attributes:
        split: train, valid or test.
        facts: how many triples it has.
        repeated: how many of them occur earlier in it.
        loops: how many lead from an entity to itself.
        unseen: how many have an entity or a relation that train does not have.
        unseen_entities: how many entities it has that train does not have.
        unseen_relations: how many relations, likewise.
    """

    split: str
    facts: int
    repeated: int
    loops: int
    unseen: int
    unseen_entities: int
    unseen_relations: int


@dataclass(frozen=True, repr=False)
class Inspection(Printed):
    """What a graph is made of, and what of its test split train gives away. Prints as tables.

    Attributes:
        graph: its name.
        entities: how many there are.
        relations: how many there are.
        splits: train, valid and test; those that have triples.
        shared: how many different triples two splits have in common, for each two.
        components: which parts hang together, in train.
        hubs: the entities with most training triples.
        relation_kinds: every relation, those with more triples first.
        leakage: what train gives away of the test split; None without one.
    """

    graph: str
    entities: int
    relations: int
    splits: tuple[SplitLook, ...]
    shared: dict[str, int]
    components: Components
    hubs: tuple[Hub, ...]
    relation_kinds: tuple[RelationKind, ...]
    leakage: Leakage | None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        plain = asdict(self)
        if self.leakage is not None:
            plain["leakage"]["rule"] = self.leakage.rule.to_dict()
        return plain

    def __rich__(self) -> Group:
        return inspection_tables(self)

    def __repr__(self) -> str:
        return str(self)


def inspect(graph: Graph | str | Path, *, hubs: int = 5) -> Inspection:
    """Look at a graph before training on it.

    Args:
        graph: a graph, the name of a data set, or a path (see `transa.load_graph`).
        hubs: how many of the entities with most triples to name.

    Example:
        >>> import transa
        >>> found = transa.inspect("countries")
        >>> [kind.relation for kind in found.relation_kinds if kind.symmetric]
        ['borders']
    """
    graph = load_graph(graph)
    copies = copies_in(graph)
    present = {split: graph.split(split) for split in SPLITS if len(graph.split(split))}
    keys = keys_by_split(present)
    return Inspection(
        graph=graph.name,
        entities=graph.n_entities,
        relations=graph.n_relations,
        splits=tuple(_look(graph, split, count_repeats(keys[split])) for split in present),
        shared={
            f"{one} and {other}": count_shared(keys[one], keys[other])
            for one, other in combinations(present, 2)
        },
        components=components_of(graph),
        hubs=hubs_of(graph, hubs),
        relation_kinds=relation_kinds(graph, copies),
        leakage=leakage_of(graph, copies),
    )


def _look(graph: Graph, split: str, repeated: int) -> SplitLook:
    heads, relations, tails = triples = graph.split(split).T
    seen = graph.seen
    trained = np.zeros(graph.n_relations, dtype=np.bool_)
    trained[graph.train[:, 1]] = True
    entities = np.unique(triples[[0, 2]])
    return SplitLook(
        split=split,
        facts=len(heads),
        repeated=repeated,
        loops=int(np.count_nonzero(heads == tails)),
        unseen=int(np.count_nonzero(~(seen[heads] & trained[relations] & seen[tails]))),
        unseen_entities=int(np.count_nonzero(~seen[entities])),
        unseen_relations=int(np.count_nonzero(~trained[np.unique(relations)])),
    )
