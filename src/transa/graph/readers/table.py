"""Triples as labels, before they become ids."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

ROLES = ("head", "relation", "tail")


def label_type() -> pl.Categorical:
    """The type of one column of labels: a label is kept once, a row holds its number.

    A graph names each of its entities many times over: as strings its triples took more memory
    than training on them.
    """
    return pl.Categorical(pl.Categories.random())


def without_gaps(labels: pl.Series) -> pl.Series:
    """Labels, null where a field is empty or a question mark: where a question leaves it open."""
    label = pl.col("label")
    plain = labels.cast(pl.String).alias("label").to_frame()
    gaps = pl.when(label.is_in(["", "?"])).then(None).otherwise(label)
    return plain.select(gaps.alias(labels.name))[labels.name].cast(label_type())


@dataclass(frozen=True)
class Table:
    """The triples of one file or frame.

    Invariants: `frame` has the columns head, relation and tail, each of a `label_type` of its own,
    no label null or empty, and at least one row. In a table of questions, gaps are null.

    Attributes:
        frame: One row a triple, in the order of the source.
        source: What error messages call the file or frame.
        format: What it turned out to be, for the report.
        place: Where a row is to be found in the source: ``place(0)`` may be ``line 2``.
        literals_dropped: How many RDF triples were left out because they end in a literal.
    """

    frame: pl.DataFrame
    source: str
    format: str
    place: Callable[[int], str]
    literals_dropped: int = 0
