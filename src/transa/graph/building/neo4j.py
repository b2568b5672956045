"""What Neo4j exports and imports: files of relationships, and files of nodes with their names."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from transa.errors import InputError
from transa.graph.readers.columns import neo4j_columns
from transa.graph.readers.content import load, opened
from transa.graph.readers.delimited import fields_of
from transa.graph.readers.dialect import Dialect
from transa.graph.readers.options import FileOptions
from transa.graph.readers.table import ROLES, Table, label_type

_DELIMITERS = ",;\t|"
_LONGEST_HEADER = 1 << 16
_NAMES = ("name", "title", "label", "displayname", "fullname")


def neo4j_files(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Of a folder's files those of relationships and those of nodes; none if it is no export."""
    headers = {path: _header(path)[0] for path in paths}
    relationships = [
        path for path, header in headers.items() if "START_ID" in neo4j_columns(header)
    ]
    nodes = [path for path, header in headers.items() if "ID" in neo4j_columns(header)]
    mixed = [path for path, header in headers.items() if _is_mixture(header)]
    return relationships + mixed, nodes + mixed


def is_neo4j_mixture(path: Path) -> bool:
    """Whether a file has nodes as well as relationships, as the procedures of APOC write them."""
    return path.is_file() and _is_mixture(_header(path)[0])


def one_export(tables: Sequence[Table], nodes: Sequence[Path], told: FileOptions) -> Table:
    """The relationships of all files, and the names of the nodes."""
    first = tables[0]
    types = {role: label_type() for role in ROLES}
    frames = [
        table.frame.select(pl.col(role).cast(pl.String).cast(types[role]) for role in ROLES)
        for table in tables
    ]
    named = [frame for path in nodes if (frame := _names(path, told)) is not None]
    names = pl.concat(named) if named else None
    files = f"{len(tables):,} files of relationships, " if len(tables) > 1 else ""
    count = 0 if names is None else len(names)
    return replace(
        first,
        frame=pl.concat(frames),
        format=f"{first.format}, {files}Neo4j's export",
        names=names,
        remarks=(f"{count:,} names of nodes",) if count else (),
        place=first.place if len(tables) == 1 else (lambda row: f"relationship {row + 1:,} of all"),
    )


def _header(path: Path) -> tuple[list[str], str]:
    """The first line's fields and what separates them; none if it is no header of Neo4j."""
    try:
        with opened(path) as stream:
            line = stream.read(_LONGEST_HEADER).partition(b"\n")[0]
        text = line.decode("utf-8-sig").strip("\r")
    except (InputError, UnicodeDecodeError):
        # Whatever it is, it is for its own reader to complain about.
        return [], ","
    if not any(mark in text for mark in (":START_ID", ":ID", "_start")):
        return [], ","
    delimiter = max(_DELIMITERS, key=text.count)
    return next(csv.reader([text], delimiter=delimiter), []), delimiter


def _is_mixture(header: Sequence[str]) -> bool:
    return {"_id", "_start", "_end", "_type"} <= {name.strip() for name in header}


def _names(path: Path, told: FileOptions) -> pl.DataFrame | None:
    """The ids of a file's nodes and what they are called; None if no property says."""
    header, delimiter = _header(path)
    properties = [name.partition(":")[0].strip() for name in header]
    wanted = told.names_from or _NAMES
    chosen = [
        place
        for name in wanted
        for place, there in enumerate(properties)
        if there == name or (told.names_from is None and there.casefold() == name)
    ]
    if not chosen:
        if told.names_from is None:
            return None
        listed = ", ".join(filter(None, properties))
        raise InputError(
            f"{path}: its nodes have no property {' or '.join(wanted)} (--names-from, names_from), "
            f"but {listed or 'none at all'}"
        )
    place, space = (
        (properties.index("_id"), "") if _is_mixture(header) else neo4j_columns(header)["ID"]
    )
    dialect = Dialect(
        delimiter, True, True, len(header), ("label", "name"), (place, chosen[0]), sparse=True
    )
    # Of a file that has relationships as well, these have neither id nor name.
    rows = fields_of(load(path), dialect, str(path), gaps=True).cast(pl.String).drop_nulls()
    prefix = f"{space}/" if space else ""
    return rows.with_columns(label=prefix + pl.col("label"))
