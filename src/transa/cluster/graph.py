"""A prepared graph on a node: its files come when they are needed, where they are not there."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from transa.cluster.store import Store
from transa.errors import StoreError
from transa.files.arrays import Arrays, map_arrays
from transa.prepared.graph import PreparedGraph
from transa.prepared.layout import Pair, around_path, bucket_path, pairs_path
from transa.prepared.record import RECORD, Record, check_file

_PARTS = ("bucket-", "around-", "pairs-")


@dataclass(frozen=True, eq=False)
class GraphAt:
    """What a node is told of a graph.

    Attributes:
        record: of the prepared graph.
        of_relation: what is counted of each relation.
        address: where its files are.
    """

    record: Record
    of_relation: pl.DataFrame
    address: str


class GraphPart(PreparedGraph):
    """What a node needs of a prepared graph: buckets, neighbourhoods, counts, and no labels."""

    def __init__(self, told: GraphAt, scratch: Path) -> None:
        store = Store(told.address)
        vars(self).update(
            folder=store.folder or scratch,
            record=told.record,
            of_relation=told.of_relation,
            name=told.record.name,
            _store=store,
            _fetched=set(),
        )

    @property
    def n_relations(self) -> int:
        """How many there are."""
        return self.record.relations

    @property
    def n_entities(self) -> int:
        """How many there are."""
        return self.record.entities

    def bucket(self, pair: Pair) -> Arrays:
        """The arrays of a bucket."""
        return self._mapped(bucket_path(self.folder, pair))

    def around(self, partition: int) -> Arrays:
        """The neighbourhoods of a partition's entities."""
        return self._mapped(around_path(self.folder, partition))

    def pairs_around(self, partition: int) -> Arrays:
        """Which pair of a bucket each neighbour of a partition's entities is."""
        return self._mapped(pairs_path(self.folder, partition))

    def _mapped(self, path: Path) -> Arrays:
        store: Store = self._store  # type: ignore[attr-defined]
        fetched: set[str] = self._fetched  # type: ignore[attr-defined]
        if path.name not in fetched:
            if store.folder is None:
                store.fetch(path.name, path)
                check_file(self.folder, self.record, path.name)
            elif not path.exists():
                raise StoreError(f"{path} is missing; prepare the graph again")
            fetched.add(path.name)
        return map_arrays(path)


def graph_at(graph: PreparedGraph, store: Store) -> GraphAt:
    """Have a graph where all nodes reach it: where it is, or copied to the store."""
    if store.folder is not None:
        return GraphAt(graph.record, graph.of_relation, str(graph.folder.resolve()))
    place = store / "graph"
    told = json.dumps(graph.record.sums, sort_keys=True).encode()
    if not (place.has(RECORD) and place.read(RECORD) == told):
        for name in graph.record.sums:
            if name.startswith(_PARTS):
                check_file(graph.folder, graph.record, name)
                place.put(graph.folder / name, name)
        # Written last: without it the copy is made anew.
        place.write(RECORD, told)
    return GraphAt(graph.record, graph.of_relation, place.address)
