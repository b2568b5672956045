"""Labels to ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

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
    frames = {split: table.frame for split, table in tables.items()}
    entities = _distinct_labels(frames.values(), ["head", "tail"])
    relations = _distinct_labels(frames.values(), ["relation"])
    triples = {split: _ids(frame, entities, relations) for split, frame in frames.items()}
    return Encoded(triples, entities, relations)


def _distinct_labels(frames: Iterable[pl.DataFrame], columns: Sequence[str]) -> pl.Series:
    # Two columns in one query take two cores: their hash tables are what costs the time.
    found = [frame.select(pl.col(columns).unique().implode()) for frame in frames]
    labels = [frame[column].explode().alias("label") for frame in found for column in columns]
    return pl.concat(labels).unique().sort()


def _ids(frame: pl.DataFrame, entities: pl.Series, relations: pl.Series) -> Triples:
    # The physical value of an Enum is the position of its label, which is the id.
    coded = frame.select(
        pl.col("head", "tail").cast(pl.Enum(entities)).to_physical(),
        pl.col("relation").cast(pl.Enum(relations)).to_physical(),
    )
    triples = np.empty((len(frame), 3), dtype=np.int32)
    for position, role in enumerate(ROLES):
        triples[:, position] = coded[role].to_numpy()
    return triples
