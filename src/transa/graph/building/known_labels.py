"""A table of labels as the ids of a graph that is there already: questions, triples to rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from transa.errors import InputError, UnknownNameError, one_of
from transa.graph.graph import Graph
from transa.graph.known import GAP
from transa.graph.readers.table import ROLES, Table
from transa.graph.vocabulary import UNKNOWN, Vocabulary

Unknown: TypeAlias = Literal["error", "drop"]
"""What to do about rows with a label that the graph does not have."""


@dataclass(frozen=True, eq=False)
class Numbered:
    """Rows of a table as ids.

    Attributes:
        ids: (n, 3), a `GAP` where a place is left open.
        rows: of the table, those that were kept.
        dropped: how many were not, for a label that the graph does not have.
    """

    ids: NDArray[np.int64]
    rows: NDArray[np.int64]
    dropped: int


def numbered(table: Table, graph: Graph, unknown: Unknown = "error") -> Numbered:
    """The ids of labels, or of names that only one thing bears; gaps are null in the table.

    Raises:
        InputError: a row whose label the graph does not have; says where, and what was meant.
    """
    one_of("unknown", unknown, get_args(Unknown))
    vocabularies = (graph.entities, graph.relations, graph.entities)
    columns = [table.frame[role] for role in ROLES]
    pairs = zip(columns, vocabularies, strict=True)
    ids = np.stack([_ids(column, vocabulary) for column, vocabulary in pairs], axis=1)
    gaps = np.stack([column.is_null().to_numpy() for column in columns], axis=1)
    strange = ((ids == UNKNOWN) & ~gaps).any(axis=1)
    if strange.any() and unknown == "error":
        row = int(strange.argmax())
        place = int(((ids[row] == UNKNOWN) & ~gaps[row]).argmax())
        try:
            vocabularies[place].id(str(columns[place][row]))
        except UnknownNameError as error:
            told = f"{table.source}, {table.place(row)}: {error}"
            others = int(strange.sum()) - 1
            more = f" ({others:,} other rows have such a label)" if others else ""
            raise InputError(f"{told}{more}") from None
    ids[gaps] = GAP
    return Numbered(ids[~strange], np.flatnonzero(~strange), int(strange.sum()))


def check_questions(table: Table) -> None:
    """Refuse rows that leave none of their places open, or more than one."""
    gaps = np.stack([table.frame[role].is_null().to_numpy() for role in ROLES], axis=1).sum(axis=1)
    bad = np.flatnonzero(gaps != 1)
    if len(bad):
        row = int(bad[0])
        raise InputError(
            f"{table.source}, {table.place(row)}: found {int(gaps[row])} gaps; a question has one, "
            "an empty field or a ?, where the answer belongs"
        )


def _ids(column: pl.Series, vocabulary: Vocabulary) -> NDArray[np.int64]:
    # A label occurs many times, and is looked up once.
    distinct = column.cast(pl.String).unique().drop_nulls()
    known = pl.DataFrame({"label": distinct, "id": vocabulary.find(distinct.to_list())})
    asked = column.cast(pl.String).alias("label").to_frame()
    found = asked.join(known, on="label", how="left", maintain_order="left")["id"]
    return found.fill_null(UNKNOWN).to_numpy().astype(np.int64)
