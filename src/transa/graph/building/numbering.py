"""Labels to ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from transa.graph.graph import Triples
from transa.graph.readers.table import ROLES, Table


@dataclass(frozen=True)
class Encoded:
    """The triples of each split as ids, and the labels that these are positions of."""

    triples: Mapping[str, Triples]
    entities: pl.Series
    relations: pl.Series


def encode(tables: Mapping[str, Table]) -> Encoded:
    """Number the labels of all tables together.

    Ids follow the sorted labels, so that the same triples in another order get the same ids.
    """
    columns = {
        split: [_Column.of(table.frame[role]) for role in ROLES] for split, table in tables.items()
    }
    entities = _sorted_labels([c for heads, _, tails in columns.values() for c in (heads, tails)])
    relations = _sorted_labels([relations for _, relations, _ in columns.values()])
    triples = {
        split: np.stack([heads.ids(entities), links.ids(relations), tails.ids(entities)], axis=1)
        for split, (heads, links, tails) in columns.items()
    }
    return Encoded(triples, entities, relations)


@dataclass(frozen=True)
class _Column:
    """A column of labels as its reader numbered them.

    Attributes:
        numbers: One a row.
        labels: Each label once.
        label_numbers: The number of each.
    """

    numbers: NDArray[np.uint32]
    labels: pl.Series
    label_numbers: NDArray[np.uint32]

    @classmethod
    def of(cls, column: pl.Series) -> _Column:
        labels = column.unique()
        numbers, label_numbers = (each.to_physical().to_numpy() for each in (column, labels))
        return cls(numbers, labels.cast(pl.String).alias("label"), label_numbers)

    def ids(self, vocabulary: pl.Series) -> NDArray[np.int32]:
        """The positions in `vocabulary`, one a row."""
        # The physical value of an Enum is the position of its label, which is the id.
        found = self.labels.cast(pl.Enum(vocabulary)).to_physical().to_numpy()
        ids = np.zeros(self.label_numbers.max() + 1, dtype=np.int32)
        ids[self.label_numbers] = found
        return ids[self.numbers]


def _sorted_labels(columns: list[_Column]) -> pl.Series:
    return pl.concat([column.labels for column in columns]).unique().sort()
