"""Parquet files."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl

from transa.files.damage import damage_told
from transa.files.memory import check_memory
from transa.graph.readers.columns import find_columns
from transa.graph.readers.frame import table_of
from transa.graph.readers.options import FileOptions
from transa.graph.readers.parquet_bounds import decoded_size
from transa.graph.readers.table import Table

MAGIC = b"PAR1"
# Three labels as strings and as numbers, and the three ids.
_BYTES_PER_ROW = 3 * (16 + 4 + 4)


def read_parquet(path: Path, data: bytes, told: FileOptions) -> Table:
    """The triples of a Parquet file whose content is `data`."""
    source = str(path)
    unreadable = f"{source} is not a readable Parquet file", "write it again, or say --format"
    with damage_told(*unreadable):
        names = list(pl.read_parquet_schema(io.BytesIO(data)))
        rows = pl.scan_parquet(io.BytesIO(data)).select(pl.len()).collect().item()
    # Only these: a file may have many more columns than a graph needs.
    wanted = [names[i] for i in find_columns(names, len(names), told.columns, source)]
    with damage_told(*unreadable):
        size = decoded_size(data, wanted)
    # A few bytes may stand for any number of equal rows.
    check_memory(
        size + rows * _BYTES_PER_ROW, f"reading the {rows:,} rows of {source}", "take fewer"
    )
    with damage_told(*unreadable):
        frame = pl.read_parquet(io.BytesIO(data), columns=wanted)
    return table_of(frame, (0, 1, 2), source, "Parquet", gaps=told.gaps)
