"""Entities in partitions of equal size, triples in buckets of two partitions.

Ids are given in a random order, so that a partition is a range of them and a random sample of all
entities. A bucket has the triples between two partitions, either way, or those within one. In its
file, ids count from the first entity of the lower partition, and on from there in the higher.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations_with_replacement
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Pair(NamedTuple):
    """The partitions of a bucket; the same twice where it is within one."""

    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.low}-{self.high}"


@dataclass(frozen=True)
class Layout:
    """Where entities are.

    Attributes:
        n_entities: how many there are.
        rows: entities of every partition but the last, which may have fewer.
    """

    n_entities: int
    rows: int

    @classmethod
    def of(cls, n_entities: int, partitions: int) -> Layout:
        """So many partitions, or as few less as leave none empty."""
        return cls(n_entities, -(-n_entities // max(1, min(partitions, n_entities))))

    @property
    def partitions(self) -> int:
        """How many there are."""
        return -(-self.n_entities // self.rows)

    @property
    def pairs(self) -> list[Pair]:
        """The partitions of every bucket."""
        return pairs_among(range(self.partitions))

    def size(self, partition: int) -> int:
        """Entities of a partition."""
        return min(self.rows, self.n_entities - partition * self.rows)

    def in_bucket(self, ids: NDArray[np.int32], partition: int, pair: Pair) -> NDArray[np.int32]:
        """Ids within a partition as a bucket's file has them."""
        return ids if partition == pair.low else ids + np.int32(self.rows)


def pair_of(one: int, other: int) -> Pair:
    """The bucket that has the triples from one partition to another."""
    return Pair(min(one, other), max(one, other))


def pairs_among(partitions: Iterable[int]) -> list[Pair]:
    """The buckets of all triples among some partitions."""
    return [Pair(*both) for both in combinations_with_replacement(sorted(partitions), 2)]


def bucket_path(folder: Path, pair: Pair) -> Path:
    """The file of a bucket."""
    return folder / f"bucket-{pair}.safetensors"


def around_path(folder: Path, partition: int) -> Path:
    """The file of the neighbourhoods of a partition's entities."""
    return folder / f"around-{partition}.safetensors"


def pairs_path(folder: Path, partition: int) -> Path:
    """The file that says which pair of a bucket each neighbour is."""
    return folder / f"pairs-{partition}.safetensors"
