"""Triples as labels, before they become ids."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

ROLES = ("head", "relation", "tail")
VALUES = {"row": pl.Int64, "value": pl.Float64, "text": pl.String}
"""The columns of a table's values."""


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
        names: What people call the things labelled, where the source says: label and name, each
            label once.
        values: The rows whose tail is a number or a date that is to be put in a bin, what orders it
            among others, and how it is written.
        inverses: The pairs of relations that the source declares to be inverse to each other; one
            that is its own inverse is symmetric.
        remarks: What else the report is to tell.
    """

    frame: pl.DataFrame
    source: str
    format: str
    place: Callable[[int], str]
    literals_dropped: int = 0
    names: pl.DataFrame | None = None
    values: pl.DataFrame | None = None
    inverses: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = ()
