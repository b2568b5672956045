"""Parquet files."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl

from transa.errors import InputError
from transa.graph.readers.columns import find_columns
from transa.graph.readers.frame import table_of
from transa.graph.readers.options import FileOptions
from transa.graph.readers.table import Table

MAGIC = b"PAR1"


def read_parquet(path: Path, data: bytes, told: FileOptions) -> Table:
    """The triples of a Parquet file whose content is `data`."""
    try:
        names = list(pl.read_parquet_schema(io.BytesIO(data)))
        positions = find_columns(names, len(names), told.columns, str(path))
        # Only these: a file may have many more columns than a graph needs.
        frame = pl.read_parquet(io.BytesIO(data), columns=[names[i] for i in positions])
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(
            f"{path} is not a readable Parquet file ({error}); "
            f"expected one with the columns head, relation and tail"
        ) from error
    return table_of(frame, (0, 1, 2), str(path), "Parquet")
