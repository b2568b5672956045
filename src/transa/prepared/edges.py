"""Numbered triples sorted into files by their two partitions, and what is held out of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from transa.files.arrays import write_raw
from transa.graph import Triples
from transa.graph.graph import no_triples
from transa.graph.sorting import distinct_triples, packed
from transa.prepared.labels import Hashes, ids_of
from transa.prepared.layout import Layout

# Odd numbers without a pattern, as multiplicative hashing wants.
_MIX = tuple(map(np.uint64, (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)))
_LAST, _HALF = np.uint64(0xD6E8FEB86659FD93), np.uint64(32)
# Triples that are looked at for each that is to be held out: train cannot spare all of them.
_LOOKED_AT = 8


@dataclass(frozen=True)
class EdgeFiles:
    """The triples from each partition to each, ids within their partitions."""

    folder: Path
    layout: Layout

    def path(self, one: int, other: int) -> Path:
        """Where the triples from one partition to another are."""
        return self.folder / f"{one}-{other}.i32"

    def read(self, one: int, other: int) -> Triples:
        """The triples from one partition to another."""
        path = self.path(one, other)
        return np.fromfile(path, np.int32).reshape(-1, 3) if path.exists() else no_triples()

    def everywhere(self) -> Iterator[tuple[int, int]]:
        """From where to where."""
        every = range(self.layout.partitions)
        return ((one, other) for one in every for other in every)

    def route(self, triples: Triples) -> None:
        """Append triples of global ids to the files that they belong to."""
        rows, partitions = self.layout.rows, self.layout.partitions
        place = triples[:, 0] // rows * partitions + triples[:, 2] // rows
        order = np.argsort(place, kind="stable")
        first = np.searchsorted(place[order], np.arange(partitions * partitions + 1))
        within = triples[order] % np.array([rows, 2**31 - 1, rows], dtype=np.int32)
        for at in np.flatnonzero(np.diff(first)):
            with self.path(*divmod(int(at), partitions)).open("ab") as file:
                write_raw(file, within[first[at] : first[at + 1]])

    def write(self, one: int, other: int, triples: Triples) -> None:
        """Have these be the triples from one partition to another."""
        with self.path(one, other).open("wb") as file:
            write_raw(file, triples)

    def at_large(self, triples: Triples, one: int, other: int) -> Triples:
        """The same triples with the ids that all partitions share."""
        rows = self.layout.rows
        return triples + np.array([one * rows, 0, other * rows], dtype=np.int32)


def numbered(run: Path, hashes: Hashes, relations: NDArray[np.int32]) -> Triples:
    """The triples of a run as ids; `relations` are those that the run's numbers stand for."""
    frame = pl.read_parquet(run)
    head, tail = (ids_of(hashes, frame[end].to_numpy()) for end in ("head", "tail"))
    return np.stack([head, relations[frame["relation"].to_numpy()], tail], axis=1)


@dataclass(frozen=True, eq=False)
class Census:
    """What was counted while copies were removed.

    Attributes:
        triples: distinct ones.
        candidates: some of them drawn at random, in a random order.
        of_entity: triples that each entity is in, a loop once.
        of_relation: triples of each relation.
    """

    triples: int
    candidates: Triples
    of_entity: NDArray[np.int64]
    of_relation: NDArray[np.int64]


def remove_copies(files: EdgeFiles, n_relations: int, wanted: int, total: int, seed: int) -> Census:
    """Leave one of each triple, file by file; draw some that might be held out."""
    n = files.layout.n_entities
    of_entity, of_relation = np.zeros(n, np.int64), np.zeros(n_relations, np.int64)
    share = min(1.0, (_LOOKED_AT * wanted + 1000) / max(total, 1))
    found, keys, count = [no_triples()], [np.empty(0, np.uint64)], 0
    for one, other in files.everywhere():
        triples = files.read(one, other)
        if len(triples) == 0:
            continue
        triples = distinct_triples(triples)
        files.write(one, other, triples)
        count += len(triples)
        large = files.at_large(triples, one, other)
        np.add.at(of_entity, large[:, 0], 1)
        np.add.at(of_entity, large[large[:, 0] != large[:, 2], 2], 1)
        of_relation += np.bincount(large[:, 1], minlength=n_relations)
        mixed = _mixed(large, seed)
        drawn = mixed <= np.uint64(share * (2**64 - 2048))
        found.append(large[drawn])
        keys.append(mixed[drawn])
    order = np.argsort(np.concatenate(keys), kind="stable")
    return Census(count, np.concatenate(found)[order], of_entity, of_relation)


def hold_out(census: Census, wanted: int) -> tuple[Triples, Triples]:
    """As many triples for valid and for test, which train can spare."""
    from transa.kernels.splitting import hold_out as spare

    order = np.arange(len(census.candidates))
    held = spare(census.candidates, order, census.of_entity, census.of_relation, 2 * wanted)
    half = len(held) // 2
    return census.candidates[held[:half]], census.candidates[held[half:]]


def take_out(files: EdgeFiles, held_out: Iterable[Triples]) -> None:
    """Remove triples of global ids from the files."""
    triples = np.concatenate(list(held_out))
    rows = files.layout.rows
    place = np.stack([triples[:, 0] // rows, triples[:, 2] // rows], axis=1)
    for one, other in np.unique(place, axis=0).tolist():
        some = triples[(place == (one, other)).all(1)] - np.array([one * rows, 0, other * rows])
        there = files.read(one, other)
        keys = packed(np.concatenate([there, some.astype(np.int32)]))
        files.write(one, other, there[~np.isin(keys[: len(there)], keys[len(there) :])])


def _mixed(triples: Triples, seed: int) -> NDArray[np.uint64]:
    """A number for each triple that looks drawn at random."""
    with np.errstate(over="ignore"):
        mixed = np.full(len(triples), np.uint64(seed % 2**64) * _LAST, dtype=np.uint64)
        for column, factor in enumerate(_MIX):
            mixed += triples[:, column].astype(np.uint64) * factor
            mixed ^= mixed >> _HALF
            mixed *= _LAST
        return mixed ^ (mixed >> _HALF)
