"""Delimited text: fast where it is well-formed, precise where it is not.

A line ends in LF or CR LF, and is at most 1 MiB long. A CR elsewhere is part of a label if it is in
quotes, and is refused if it is not: programs differ on whether it ends a line, so none may guess.
"""

from __future__ import annotations

import codecs
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl

from transa.errors import InputError
from transa.graph.building.report import MAYBE_HEADER
from transa.graph.readers import scan
from transa.graph.readers.content import load
from transa.graph.readers.dialect import Dialect, find_dialect
from transa.graph.readers.options import FileOptions
from transa.graph.readers.table import ROLES, Table, label_type, without_gaps

# What Polars would decompress: zlib, gzip and Zstandard by their first bytes.
_LIKE_COMPRESSED = (b"x\x01", b"x\x5e", b"x\x9c", b"x\xda", b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
# Fewer say nothing on whether the first is of their kind.
_FEWEST_ROWS, _FEWEST_LONE = 10, 4


def read_delimited(path: Path, data: bytes, told: FileOptions) -> Table:
    """The triples of a delimited file whose content is `data`."""
    source = str(path)
    scan.check_lines(data, source)
    dialect = find_dialect(data, told, source)
    frame = parse(data, dialect, source, gaps=told.gaps)
    doubt = ""
    if told.header is None and not told.gaps and not dialect.header:
        frame, dialect, doubt = _without_header(frame, dialect)
    if frame.is_empty():
        raise InputError(f"{source}, line 1: found a header and nothing else; expected triples")
    return Table(frame, source, f"{dialect}{doubt}", partial(_place, path, dialect))


def parse(data: bytes, dialect: Dialect, source: str, *, gaps: bool = False) -> pl.DataFrame:
    """The fields that `dialect` wants, one column of labels a role, none empty but gaps."""
    if dialect.sparse:
        found = fields_of(data, dialect, source, gaps=True)
        broken = found.select(pl.any_horizontal(pl.all().is_null())).to_series().arg_true()
        if len(broken):
            raise InputError(
                f"{source}: relationship {broken[0] + 1:,} is without start, end or type; expected "
                f"all three"
            )
        return found
    found = fields_of(data, dialect, source, gaps=gaps)
    if not dialect.spaces and dialect.relation is None:
        return found
    named = {
        role: _in_space(found[role], space)
        for role, space in zip(dialect.roles, dialect.spaces, strict=False)
        if space
    }
    found = found.with_columns(**named)
    if dialect.relation is not None:
        found = found.with_columns(relation=pl.lit(dialect.relation).cast(label_type()))
    return found.select(*ROLES)


def _in_space(labels: pl.Series, space: str) -> pl.Series:
    """Ids told apart from those of other things."""
    return (f"{space}/" + labels.cast(pl.String)).cast(label_type())


def _without_header(frame: pl.DataFrame, dialect: Dialect) -> tuple[pl.DataFrame, Dialect, str]:
    """Leave out a first row that is a header by its look; or say that it may be one.

    Where columns are told by position the file has more of them, and if the first row shares
    nothing with any other, in no column, then it is no fact that anything could be learnt from.
    """
    if not _may_begin_with_names(frame, _FEWEST_LONE if dialect.lone else _FEWEST_ROWS):
        return frame, dialect, ""
    if dialect.lone:
        return frame[1:], replace(dialect, header=True, by_its_look=True), ""
    return frame, dialect, f" {MAYBE_HEADER}"


def without_header(data: bytes, dialect: Dialect, source: str) -> Dialect:
    """The same of the first part of a file; only where columns are told by position."""
    if not dialect.lone:
        return dialect
    return _without_header(parse(data, dialect, source), dialect)[1]


def fields_of(data: bytes, dialect: Dialect, source: str, *, gaps: bool) -> pl.DataFrame:
    """The fields as they are written; with `gaps` some may be null."""
    scan.check_line_ends(data, dialect, source)
    frame = _parse_fast(data, dialect)
    if frame is not None and dialect.padded:
        frame = _stripped(frame)
    if gaps:
        # A short line has holes too, and only the slow reading can tell them apart.
        scan.check(data, dialect, source, gaps=True)
        frame = _parse_slowly(data, dialect, source) if frame is None else frame
        # What is null throughout was a blank line.
        frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
        return frame.with_columns(without_gaps(column) for column in frame)
    if frame is not None and not _has_holes(frame) and _is_well_quoted(data, dialect):
        return frame
    # A hole is a fault or a blank line; only the slow reading can tell, and says where.
    scan.check(data, dialect, source)
    if frame is not None:
        return frame.drop_nulls()
    # The fast parser takes a quote in the middle of a field for an opening one, and gives up.
    return _parse_slowly(data, dialect, source)


def _may_begin_with_names(frame: pl.DataFrame, fewest: int) -> bool:
    """Whether nothing in the first row occurs again, although relations are few."""
    if len(frame) < fewest or frame["relation"].n_unique() > len(frame) // 2:
        return False
    columns = (frame[role].to_physical() for role in ("relation", "head", "tail"))
    return all((column == column[0]).sum() == 1 for column in columns)


def _stripped(frame: pl.DataFrame) -> pl.DataFrame:
    """Without spaces at the ends of labels; a column in which none has any stays as it is."""
    any_padded = frame.select(
        (pl.all().cat.starts_with(" ") | pl.all().cat.ends_with(" ")).any()
    ).row(0)
    padded = [name for name, is_so in zip(frame.columns, any_padded, strict=True) if is_so]
    return frame.with_columns(
        pl.col(name).cast(pl.String).str.strip_chars(" ").cast(label_type()) for name in padded
    )


def _parse_fast(data: bytes, dialect: Dialect) -> pl.DataFrame | None:
    data = _trimmed(data)
    if data.startswith(_LIKE_COMPRESSED):
        return None
    try:
        frame = pl.read_csv(
            data,
            has_header=False,
            skip_rows=int(dialect.header),
            separator=dialect.delimiter,
            quote_char='"' if dialect.quoted else None,
            schema={_column(i): label_type() for i in range(dialect.width)},
            columns=[_column(i) for i in dialect.positions],
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    return frame.select(
        pl.col(_column(position)).alias(role)
        for role, position in zip(dialect.roles, dialect.positions, strict=True)
    )


def _column(position: int) -> str:
    # The names Polars gives to columns without a header; it refuses others.
    return f"column_{position + 1}"


def _trimmed(data: bytes) -> bytes:
    """Without a byte-order mark and blank lines at the ends; copied only where there are any."""
    if data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
    if data.startswith((b"\n", b"\r")) or data.endswith((b"\n\n", b"\n\r\n")):
        data = data.strip(b"\r\n")
    # Without it, the fast parser overlooks a fourth column that is empty.
    return data if data.endswith(b"\n") else data + b"\n"


def _has_holes(frame: pl.DataFrame) -> bool:
    return any(frame.select((pl.all().is_null() | (pl.all() == "")).any()).row(0))


def _is_well_quoted(data: bytes, dialect: Dialect) -> bool:
    # The fast parser puts up with quotes in wrong places, and lets them swallow delimiters.
    return not dialect.quoted or b'"' not in data or scan.is_well_quoted(data, dialect)


def _parse_slowly(data: bytes, dialect: Dialect, source: str) -> pl.DataFrame:
    rows = [
        [fields[position] for position in dialect.positions]
        for _, fields in scan.records(data, dialect, source)
    ]
    return pl.DataFrame(rows, schema={role: label_type() for role in dialect.roles}, orient="row")


def _place(path: Path, dialect: Dialect, row: int) -> str:
    # The file is read once more: an error may cost that, a graph may not keep its text.
    return f"line {scan.line_of_record(load(path), dialect, str(path), row)}"
