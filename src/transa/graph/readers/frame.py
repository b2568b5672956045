"""Polars and pandas frames as tables of labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from transa.errors import InputError, optional
from transa.files.damage import damage_told
from transa.graph.readers.columns import chosen_columns, find_columns
from transa.graph.readers.options import Columns
from transa.graph.readers.table import ROLES, Table, label_type, without_gaps

if TYPE_CHECKING:
    import pandas as pd

    Frame: TypeAlias = pl.DataFrame | pl.LazyFrame | pd.DataFrame


@dataclass(frozen=True)
class Named:
    """The columns that were told one by one, by name or position from 0; others are guessed."""

    head: str | int | None = None
    relation: str | int | None = None
    tail: str | int | None = None

    def __bool__(self) -> bool:
        return any(column is not None for column in (self.head, self.relation, self.tail))


def frame_table(
    frame: Frame,
    columns: Columns | None,
    source: str,
    *,
    gaps: bool = False,
    named: Named | None = None,
) -> Table:
    """The triples of a frame, or its questions."""
    made = _as_polars(frame, source)
    if named:
        told = (named.head, named.relation, named.tail)
        columns = chosen_columns(made.columns, *told, source)
    return table_of(made, columns, source, "frame", gaps=gaps)


def table_of(
    frame: pl.DataFrame, columns: Columns | None, source: str, kind: str, *, gaps: bool = False
) -> Table:
    """The three wanted columns of a frame as labels."""
    positions = find_columns(frame.columns, frame.width, columns, source)
    labels = pl.DataFrame(
        [
            labels_of(frame.to_series(position), source, gaps=gaps).alias(role)
            for role, position in zip(ROLES, positions, strict=True)
        ]
    )
    if labels.is_empty():
        raise InputError(f"{source} has no rows; expected triples")
    return Table(labels, source, kind, _row)


def _as_polars(frame: Frame, source: str) -> pl.DataFrame:
    if isinstance(frame, pl.LazyFrame):
        with damage_told(f"{source}: the frame cannot be made", "try its collect()"):
            return frame.collect()
    if isinstance(frame, pl.DataFrame):
        return frame
    if type(frame).__module__.partition(".")[0] != "pandas" or not hasattr(frame, "columns"):
        raise InputError(
            f"{source}: expected a Polars or pandas frame, found a {type(frame).__name__}"
        )
    if not frame.columns.is_unique:
        raise InputError(f"{source}: several columns have the same name; rename all but one")
    optional("pyarrow", "pandas", f"{source}: reading pandas frames")
    try:
        return pl.from_pandas(frame)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{source}: a column mixes types or has none that Polars knows ({error}); "
            f"frame.astype(str) makes labels of them"
        ) from error


def labels_of(
    column: pl.Series,
    source: str,
    *,
    gaps: bool = False,
    type_: pl.Categorical | None = None,
    first_row: int = 0,
) -> pl.Series:
    """A column of strings or whole numbers as labels."""
    dtype, type_ = column.dtype, type_ or label_type()
    if gaps and dtype == pl.Null:
        return column.cast(type_)
    if not (dtype.is_integer() or dtype in (pl.String, pl.Categorical, pl.Enum)):
        raise InputError(
            f"{source}: column {column.name!r} has the type {dtype}; labels are strings or whole "
            f"numbers: cast it, or say which columns they are (--columns, columns=...)"
        )
    if gaps:
        return without_gaps(column)
    labels = column.cast(pl.String)
    holes = (labels.is_null() | (labels == "")).arg_true()
    if len(holes):
        row = first_row + int(holes[0])
        raise InputError(
            f"{source}, {_row(row)}: column {column.name!r} is empty; expected a label"
        )
    return labels.cast(type_)


def _row(row: int) -> str:
    return f"row {row}"
