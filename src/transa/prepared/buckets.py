"""A bucket's files: triples, their groups, their pairs of neighbours.

All of it is worked out once, so that a bucket is trained as soon as its files are mapped.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transa.files.arrays import Arrays, map_arrays, write_arrays
from transa.files.whole import whole_file
from transa.graph import Triples
from transa.graph.graph import inverses_of, no_triples
from transa.graph.neighbourhoods import neighbourhoods
from transa.kernels.margins.readings import Neighbourhoods
from transa.prepared.edges import EdgeFiles
from transa.prepared.layout import Layout, Pair, around_path, bucket_path, pair_of, pairs_path

SIDES = ("out", "into")
# Where relations have inverses, a tail is a head as well: both sides are one.
BOTH = "both"


@dataclass(frozen=True)
class Maker:
    """Makes the files of buckets and partitions of a graph's sorted triples.

    Attributes:
        edges: the triples.
        folder: where files go.
        n_relations: of the graph.
        seed: of the order of triples in a bucket.
    """

    edges: EdgeFiles
    folder: Path
    n_relations: int
    seed: int

    @property
    def layout(self) -> Layout:
        """Where entities are."""
        return self.edges.layout

    def bucket(self, pair: Pair) -> None:
        """Write the file of a bucket; needs the neighbourhoods of its partitions."""
        path = bucket_path(self.folder, pair)
        if path.exists():
            return
        triples = self._triples(pair)
        rng = np.random.default_rng((self.seed, *pair))
        triples = np.ascontiguousarray(triples[rng.permutation(len(triples))])
        one, other, paired = self._pairs(triples)
        counts = {"reversed": self._reversed(triples), "paired": paired}
        arrays: Arrays = {"triples": triples, "one": one, "other": other, **counts}
        around = [map_arrays(around_path(self.folder, p)) for p in dict.fromkeys(pair)]
        for side, column in zip(SIDES, (0, 2), strict=True):
            arrays[f"{side}_group"] = self._groups(triples, column, side, around)
        with whole_file(path) as part:
            write_arrays(part, arrays)

    def _triples(self, pair: Pair) -> Triples:
        found = [no_triples()]
        for one, other in dict.fromkeys([(pair.low, pair.high), (pair.high, pair.low)]):
            h, r, t = self.edges.read(one, other).T
            ends = self.layout.in_bucket(h, one, pair), self.layout.in_bucket(t, other, pair)
            found.append(np.stack([ends[0], r, ends[1]], axis=1))
        return np.concatenate(found)

    def _reversed(self, triples: Triples) -> NDArray[np.int64]:
        """Of each relation, how many triples are there the other way round too."""
        n = 2 * self.layout.rows
        h, r, t = (column.astype(np.int64) for column in triples.T)
        both = np.isin((r * n + t) * n + h, (r * n + h) * n + t)
        return np.bincount(r[both], minlength=self.n_relations)

    def _pairs(self, triples: Triples) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
        """The distinct pairs of neighbours, whichever is the head, in order.

        Beside them, of each relation, how many triples have a pair that another one has as well.
        """
        h, r, t = triples.T
        keys = _pair_keys(np.minimum(h, t), np.maximum(h, t))
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        begins, ends = np.diff(keys, prepend=-1) != 0, np.diff(keys, append=-1) != 0
        paired = np.bincount(r[order[~(begins & ends)]], minlength=self.n_relations)
        pairs = keys[begins]
        return (pairs >> 32).astype(np.int32), (pairs & 0xFFFFFFFF).astype(np.int32), paired

    def _groups(
        self, triples: Triples, column: int, side: str, around: list[Arrays]
    ) -> NDArray[np.int32]:
        """The group of each triple, among those of its anchor's partition."""
        half, anchor = np.divmod(triples[:, column], self.layout.rows)
        groups = np.empty(len(triples), np.int32)
        for which, of_partition in enumerate(around):
            mine = half == which
            keys = _group_keys(of_partition, side, self.n_relations)
            wanted = anchor[mine].astype(np.int64) * self.n_relations + triples[mine, 1]
            groups[mine] = np.searchsorted(keys, wanted)
        return groups

    def around(self, partition: int) -> None:
        """Write the neighbourhoods of a partition's entities: what margins and questions need."""
        path = around_path(self.folder, partition)
        if path.exists():
            return
        arrays: Arrays = {}
        size = self.layout.size(partition)
        for side, anchored_at in zip((*SIDES, BOTH), ("head", "tail", "head"), strict=True):
            triples = self._edges_at(partition, side)
            found = _nobody(size)
            if len(triples):
                found = neighbourhoods(triples, size, anchored_at)  # type: ignore[arg-type]
            # Which group a triple is in stands in the buckets.
            named = found._asdict() | {"group_of_triple": np.empty(0, np.int32)}
            arrays |= {f"{side}.{name}": array for name, array in named.items()}
        with whole_file(path) as part:
            write_arrays(part, arrays)

    def _edges_at(self, partition: int, side: str) -> Triples:
        """The triples of a partition's entities: neighbours counted on from its own entities."""
        if side == BOTH:
            out, into = (self._edges_at(partition, each) for each in SIDES)
            return np.concatenate([out, inverses_of(into, self.n_relations)])
        rows, partitions = self.layout.rows, self.layout.partitions
        found = [no_triples()]
        for other in range(partitions):
            way = (partition, other) if side == "out" else (other, partition)
            triples = self.edges.read(*way)
            triples[:, 2 if side == "out" else 0] += (other - partition) % partitions * rows
            found.append(triples)
        return np.concatenate(found)

    def pairs_around(self, partition: int) -> None:
        """Write which pair of a bucket each neighbour of a partition's entities is."""
        path = pairs_path(self.folder, partition)
        if path.exists():
            return
        around = map_arrays(around_path(self.folder, partition))
        buckets = buckets_of(self.layout, partition)
        pairs = [map_arrays(bucket_path(self.folder, pair)) for pair in buckets]
        before = np.append(0, np.cumsum([len(each["one"]) for each in pairs]))
        arrays: Arrays = {}
        for side in (*SIDES, BOTH):
            other, neighbour = np.divmod(around[f"{side}.neighbour"], self.layout.rows)
            other = (other + partition) % self.layout.partitions
            found = np.empty(len(neighbour), np.int32)
            for q in range(self.layout.partitions):
                mine = other == q
                pair = pair_of(partition, q)
                at = buckets.index(pair)
                one = self.layout.in_bucket(around[f"{side}.anchor"][mine], partition, pair)
                two = self.layout.in_bucket(neighbour[mine], q, pair)
                keys = _pair_keys(pairs[at]["one"], pairs[at]["other"])
                wanted = _pair_keys(np.minimum(one, two), np.maximum(one, two))
                found[mine] = np.searchsorted(keys, wanted) + before[at]
            arrays[f"{side}.slot"] = found
            arrays[f"{side}.positive"] = found[around[f"{side}.positive"]]
        with whole_file(path) as part:
            write_arrays(part, arrays)


def buckets_of(layout: Layout, partition: int) -> list[Pair]:
    """The buckets that a partition is in, in the order in which its pairs are counted."""
    return [pair_of(partition, other) for other in range(layout.partitions)]


def neighbourhoods_of(around: Arrays, side: str) -> Neighbourhoods:
    """One side of what `Maker.around` wrote."""
    return Neighbourhoods(**{name: around[f"{side}.{name}"] for name in Neighbourhoods._fields})


def _nobody(n_anchors: int) -> Neighbourhoods:
    """The neighbourhoods of entities that have none on this side."""
    none, starts = np.empty(0, np.int32), np.zeros(1, np.int32)
    pointers = {"slot_ptr": n_anchors + 1, "group_ptr": n_anchors + 1}
    of_all = dict.fromkeys(Neighbourhoods._fields, none)
    of_all |= {"member_ptr": starts, "positive_ptr": starts, "group_anchor": starts - 1}
    return Neighbourhoods(**of_all | {n: np.zeros(k, np.int32) for n, k in pointers.items()})


def _pair_keys(one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int64]:
    keys: NDArray[Any] = one.astype(np.int64) << 32 | other
    return keys


def _group_keys(around: Arrays, side: str, n_relations: int) -> NDArray[np.int64]:
    anchors = around[f"{side}.group_anchor"][:-1].astype(np.int64)
    keys: NDArray[np.int64] = anchors * n_relations + around[f"{side}.group_relation"]
    return keys
