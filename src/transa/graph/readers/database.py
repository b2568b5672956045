"""DuckDB's and SQLite's files: a query in, its rows out. Nothing is written, nothing else read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from transa.errors import InputError, optional
from transa.files.memory import check_memory
from transa.graph.readers.columns import find_columns
from transa.graph.readers.frame import labels_of
from transa.graph.readers.options import FileOptions, Format
from transa.graph.readers.table import ROLES, Table, label_type

_MAGIC: dict[Format, tuple[int, bytes]] = {
    "duckdb": (8, b"DUCK"),
    "sqlite": (0, b"SQLite format 3\0"),
}
_NAMES: dict[Format, str] = {"duckdb": "DuckDB", "sqlite": "SQLite"}
_TABLES: dict[Format, str] = {
    "duckdb": "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main'",
    "sqlite": "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
    "AND name NOT LIKE 'sqlite_%'",
}
_AT_A_TIME = 1 << 16
_OF_A_ROW = 1000
_MOST_TOLD = 8
# So that no query reads other files or reaches for the network.
_ALONE = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


class _Connection(Protocol):
    """What the two libraries have in common (PEP 249)."""

    def execute(self, query: str, /) -> Any: ...  # noqa: ANN401
    def close(self) -> None: ...


def database_of(start: bytes) -> Format | None:
    """Whose file it is that begins so, if it is that of a data base."""
    for kind, (place, magic) in _MAGIC.items():
        if start[place : place + len(magic)] == magic:
            return kind
    return None


def read_database(path: Path, kind: Format, told: FileOptions) -> Table:
    """The rows that the query gives, or of the only table that can be meant."""
    frames = list(database_parts(path, kind, told))
    return Table(
        frame=pl.concat(frames, rechunk=True),
        source=str(path),
        format=_NAMES[kind],
        place=lambda row: f"row {row}",
    )


def database_parts(path: Path, kind: Format, told: FileOptions) -> Iterator[pl.DataFrame]:
    """The same, some rows at a time."""
    types, row = [label_type() for _ in ROLES], 0
    with _connected(path, kind) as connection:
        query = _query(connection, path, kind, told)
        found = connection.execute(query)
        names = [column[0] for column in found.description or ()]
        positions = find_columns(names, len(names), told.columns, f"{path}: the query")
        while rows := found.fetchmany(_AT_A_TIME):
            check_memory(_OF_A_ROW * len(rows), f"reading {path}", "LIMIT in the query takes fewer")
            columns = [
                _labels([line[place] for line in rows], names[place], path, row, type_)
                for place, type_ in zip(positions, types, strict=True)
            ]
            yield pl.DataFrame(dict(zip(ROLES, columns, strict=True)))
            row += len(rows)
    if row == 0:
        raise InputError(f"{path}: the query gives no rows; expected triples")


@contextmanager
def _connected(path: Path, kind: Format) -> Iterator[_Connection]:
    connect, error_of_its_own = _library(path, kind)
    try:
        with closing(connect()) as connection:
            yield connection
    except error_of_its_own as error:
        reason = " ".join(str(error).split())[:300]
        raise InputError(f"{path}: {_NAMES[kind]} says: {reason}") from error


def _library(path: Path, kind: Format) -> tuple[Any, type[Exception]]:
    if kind == "sqlite":
        uri = f"{path.resolve().as_uri()}?mode=ro"
        return lambda: sqlite3.connect(uri, uri=True), sqlite3.Error
    duckdb = optional("duckdb", "sql", f"{path}: reading DuckDB's files")
    return lambda: duckdb.connect(str(path), read_only=True, config=_ALONE), duckdb.Error


def _query(connection: _Connection, path: Path, kind: Format, told: FileOptions) -> str:
    """What the user asks, or all of one table: the one that is named, or the only one."""
    if told.query is not None and len(told.query.split()) != 1:
        return told.query
    tables = [name for (name,) in connection.execute(_TABLES[kind]).fetchall()]
    wanted = told.query or (tables[0] if len(tables) == 1 else None)
    if wanted not in tables:
        listed = ", ".join(sorted(tables)[:_MOST_TOLD]) or "none"
        example = "SELECT head, relation, tail FROM facts"
        raise InputError(
            f"{path} has the tables {listed}; --query (query=...) takes the name of one, or SQL "
            f"such as {example!r}"
        )
    quoted = str(wanted).replace('"', '""')
    return f'SELECT * FROM "{quoted}"'  # noqa: S608 (a table that is there, in quotes)


def _labels(values: list[Any], name: str, path: Path, row: int, type_: pl.Categorical) -> pl.Series:
    """A column as labels; one that mixes text and numbers has texts of both."""
    if all(isinstance(value, str) or type(value) is int or value is None for value in values):
        texts = [None if value is None else str(value) for value in values]
        column = pl.Series(name, texts, dtype=pl.String)
    else:
        column = pl.Series(name, values, strict=False)
    return labels_of(column, f"{path}: the query", type_=type_, first_row=row)
