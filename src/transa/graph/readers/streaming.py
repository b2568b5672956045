"""A file of triples part by part, so that it may be larger than memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

import polars as pl

from transa.errors import InputError
from transa.files.damage import damage_told
from transa.files.forks import before_polars
from transa.graph.readers.columns import find_columns
from transa.graph.readers.content import opened
from transa.graph.readers.database import database_parts
from transa.graph.readers.delimited import parse, without_header
from transa.graph.readers.dialect import find_dialect
from transa.graph.readers.formats import detect, refuse_strange_options
from transa.graph.readers.frame import table_of
from transa.graph.readers.options import FileOptions, Format
from transa.graph.readers.rdf.reading import rdf_lines, rdf_parts
from transa.graph.readers.rdf.syntaxes import SYNTAXES
from transa.graph.readers.scan import check_lines

Part: TypeAlias = Callable[[], pl.DataFrame]
"""Reads a part: the columns head, relation and tail, as labels. One that is not called is skipped
at the price of its bytes."""

BYTES, ROWS = 1 << 25, 1 << 20
"""Of a part: of text, and of Parquet."""


def parts_of(path: Path, told: FileOptions) -> Iterator[Part]:
    """A file's parts, in order."""
    before_polars()
    with opened(path) as stream:
        first = stream.read(1 << 16)
    if not first:
        raise InputError(f"{path} is empty; expected at least one triple on line 1")
    kind = told.format or detect(path, first)
    refuse_strange_options(path, kind, told)
    if kind == "parquet":
        yield from _of_parquet(path, told)
    elif kind == "duckdb" or kind == "sqlite":
        yield from map(_made, database_parts(path, kind, told))
    elif kind == "delimited":
        yield from _of_text(path, first[: first.rfind(b"\n") + 1] or first, told)
    elif SYNTAXES[kind].by_line:
        yield from _of_lines(path, kind, told)
    else:
        yield from map(_made, rdf_parts(path, kind, told, ROWS))


def _made(frame: pl.DataFrame) -> Part:
    """A part that cannot be skipped: what comes before it has to be read in any case."""
    return lambda: frame


def _of_parquet(path: Path, told: FileOptions) -> Iterator[Part]:
    with damage_told(f"{path} is not a readable Parquet file", "write it again, or say --format"):
        scan = pl.scan_parquet(path)
        names = scan.collect_schema().names()
        rows = scan.select(pl.len()).collect().item()
    wanted = [names[i] for i in find_columns(names, len(names), told.columns, str(path))]
    for first in range(0, rows, ROWS):
        yield partial(_rows, path, wanted, first)


def _rows(path: Path, wanted: list[str], first: int) -> pl.DataFrame:
    with damage_told(f"{path} is not a readable Parquet file", "write it again, or say --format"):
        frame = pl.scan_parquet(path).select(wanted).slice(first, ROWS).collect()
    return table_of(frame, (0, 1, 2), _source(path, first, "row"), "Parquet").frame


def _of_text(path: Path, sample: bytes, told: FileOptions) -> Iterator[Part]:
    check_lines(sample, str(path))
    dialect = find_dialect(sample, told, str(path))
    for line, data in _whole_lines(path, quoted=dialect.quoted):
        source = _source(path, line, "line")
        check_lines(data, source)
        if told.header is None and not dialect.header and line == 0:
            dialect = without_header(data, dialect, source)
        yield partial(parse, data, dialect, source)
        dialect = replace(dialect, header=False)


def _of_lines(path: Path, kind: Format, told: FileOptions) -> Iterator[Part]:
    for line, data in _whole_lines(path, quoted=False):
        yield partial(rdf_lines, _source(path, line, "line"), data, kind, told)


def _source(path: Path, before: int, what: str) -> str:
    """What messages call a part; their numbers count from its beginning."""
    return str(path) if before == 0 else f"{path}, after {what} {before:,}"


def _whole_lines(path: Path, *, quoted: bool) -> Iterator[tuple[int, bytes]]:
    """Pieces of text, each after how many lines, that end where a line does and outside quotes."""
    with opened(path) as stream:
        line, left = 0, b""
        while piece := stream.read(BYTES):
            data = left + piece
            end = data.rfind(b"\n") + 1
            while quoted and end and data.count(b'"', 0, end) % 2:
                end = data.rfind(b"\n", 0, end - 1) + 1
            left = data[end:]
            if len(left) > 4 * BYTES:
                raise InputError(f"{path}: a line or quoted field without end; expected triples")
            if end:
                yield line, data[:end]
                line += data.count(b"\n", 0, end)
        if left.strip():
            yield line, left
