"""What separates the columns of a text file, and which of them are wanted."""

from __future__ import annotations

import codecs
import csv
import re
from dataclasses import dataclass, replace
from pathlib import Path

from transa.errors import InputError
from transa.graph.building.report import WITH_HEADER
from transa.graph.readers.columns import (
    are_names_in_a_header,
    find_columns,
    is_usual_header,
    neo4j_columns,
)
from transa.graph.readers.options import FileOptions
from transa.graph.readers.table import ROLES

_SAMPLE_BYTES = 1 << 16
_MOST_COLUMNS = 10_000
# In the order of preference: a label seldom has a tab in it, and often a space.
_CANDIDATES = ("\t", ",", ";", " ")
_WORDS = {"\t": "tab", ",": "comma", ";": "semicolon", " ": "space"}
# Rows below the first, of which a column says nothing if they are fewer.
_FEWEST_NUMBERS = 2
_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*")


@dataclass(frozen=True)
class Dialect:
    """How to cut a text into fields.

    Attributes:
        delimiter: The character between two fields.
        quoted: Whether a field may be in double quotes.
        header: Whether the first record is a header.
        width: How many fields every record has.
        roles: What the wanted fields are.
        positions: Where they are, in the order of `roles`.
        padded: Whether spaces round a field do not belong to it, as in ``a, r, b``.
        by_its_look: Whether the first record is taken for a header only because of what it holds.
        lone: Whether every field of the first record is the only one of its kind in its column.
        spaces: Of each role what comes before its labels: whose ids they are.
        relation: The only one, where no column has it.
        sparse: Whether records without any wanted field are of something else, as nodes are.
    """

    delimiter: str
    quoted: bool
    header: bool
    width: int
    roles: tuple[str, ...]
    positions: tuple[int, ...]
    padded: bool = False
    by_its_look: bool = False
    lone: bool = False
    spaces: tuple[str, ...] = ()
    relation: str | None = None
    sparse: bool = False

    @property
    def separator(self) -> str:
        """The delimiter as a word."""
        return _WORDS.get(self.delimiter, repr(self.delimiter))

    def __str__(self) -> str:
        header = f" {WITH_HEADER}" if self.header else ""
        if self.by_its_look:
            header += " by the look of it (--no-header or header=False keeps that line)"
        return f"{self.separator}-separated text{header}"


def only_tabs(*roles: str) -> Dialect:
    """Of lines that have these fields and nothing else, between tabs, without header or quotes."""
    return Dialect("\t", False, False, len(roles), roles, tuple(range(len(roles))))


def find_dialect(data: bytes, told: FileOptions, source: str) -> Dialect:
    """The dialect of a file of triples: what the user told, and the rest from its first lines."""
    lines = _sample(data)
    number = next((i for i, line in enumerate(lines, start=1) if line.strip("\r\n")), None)
    if number is None:
        raise InputError(f"{source} holds nothing but blank lines; expected triples")
    where = f"{source}, line {number}"
    delimiter = told.delimiter or _guess_delimiter(lines, told, where, lines[number - 1])
    quoted = _may_be_quoted(delimiter, told)
    rows = _split(lines, delimiter, quoted)
    if not rows:
        raise InputError(f"{where}: found a field without end, expected three short ones")
    first = rows[0]
    if len(first) > _MOST_COLUMNS:
        raise InputError(
            f"{where}: found {len(first):,} columns, expected three or a few more; --delimiter "
            f"(delimiter=...) says what separates them"
        )
    header = told.header
    if header is None:
        header = are_names_in_a_header(told.columns) or is_usual_header(first)
    padded = told.delimiter is None and delimiter == "," and _is_padded(rows)
    if told.header is not False and told.columns is None:
        export = _of_neo4j(first, delimiter, quoted, source)
        if export is not None:
            return replace(export, padded=padded)
    by_its_look = told.header is None and not header and not told.gaps and _is_above_numbers(rows)
    header = header or by_its_look
    positions = find_columns(first if header else None, len(first), told.columns, where)
    width = len(first) if header or told.columns is not None else len(ROLES)
    width = max(width, len(ROLES))
    lone = told.columns is not None and _is_lone(rows)
    found = Dialect(delimiter, quoted, header, width, ROLES, positions, padded)
    return replace(found, by_its_look=by_its_look, lone=lone)


def _of_neo4j(header: list[str], delimiter: str, quoted: bool, source: str) -> Dialect | None:
    """Of a file of relationships as Neo4j exports or imports it; None of another."""
    exported = [name.strip() for name in header]
    if {"_id", "_start", "_end", "_type"} <= set(exported):
        # Nodes and relationships in one file.
        positions = exported.index("_start"), exported.index("_type"), exported.index("_end")
        return Dialect(delimiter, quoted, True, len(header), ROLES, positions, sparse=True)
    columns = neo4j_columns(header)
    if not {"START_ID", "END_ID"} <= columns.keys():
        return None
    wanted = ["START_ID", *(["TYPE"] if "TYPE" in columns else []), "END_ID"]
    roles = ROLES if "TYPE" in columns else ("head", "tail")
    spaces = tuple("" if what == "TYPE" else columns[what][1] for what in wanted)
    return Dialect(
        delimiter,
        quoted,
        True,
        len(header),
        roles,
        tuple(columns[what][0] for what in wanted),
        spaces=spaces if any(spaces) else (),
        relation=None if "TYPE" in columns else Path(source).name.partition(".")[0],
    )


def _is_above_numbers(rows: list[list[str]]) -> bool:
    """Whether the first record has words where all others have numbers."""
    first, others = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    # The last of the sample may be cut short.
    if len(others) < max(_FEWEST_NUMBERS, len(rows) - 2):
        return False
    return any(
        not _NUMBER.fullmatch(name) and name and all(_NUMBER.fullmatch(row[i]) for row in others)
        for i, name in enumerate(first)
    )


def _is_lone(rows: list[list[str]]) -> bool:
    """Whether the first record shares no field with another."""
    first, *others = rows
    return not any(field == row[i] for row in others for i, field in enumerate(first[: len(row)]))


def _sample(data: bytes) -> list[str]:
    """The first lines, whole; bytes that are not UTF-8 are the parser's to complain about."""
    end = data.find(b"\n", _SAMPLE_BYTES)
    start = data if end < 0 else data[:end]
    return start.removeprefix(codecs.BOM_UTF8).decode("utf-8", errors="replace").split("\n")


def _guess_delimiter(lines: list[str], told: FileOptions, where: str, first: str) -> str:
    def lines_that_fit(delimiter: str) -> int:
        rows = _split(lines, delimiter, _may_be_quoted(delimiter, told))
        return sum(len(row) >= fewest for row in rows)

    # Without a type, of which the name of the file tells.
    fewest = 2 if ":START_ID" in first and ":END_ID" in first else len(ROLES)

    best = max(_CANDIDATES, key=lines_that_fit)
    if lines_that_fit(best) == 0:
        raise InputError(
            f"{where}: found {first.strip()[:60]!r}, expected three columns "
            f"separated by tab, comma, semicolon or space; --delimiter (delimiter=...) names "
            f"another, --format (format=...) what the file is"
        )
    return best


def _is_padded(rows: list[list[str]]) -> bool:
    """Whether a space follows every comma."""
    return all(field.startswith(" ") for row in rows for field in row[1:])


def _may_be_quoted(delimiter: str, told: FileOptions) -> bool:
    # By convention a tab-separated file has no quoting: its quotes belong to the labels.
    return delimiter != "\t" if told.quote is None else told.quote


def _split(lines: list[str], delimiter: str, quoted: bool) -> list[list[str]]:
    if not quoted:
        return [line.rstrip("\r").split(delimiter) for line in lines if line.strip("\r\n")]
    rows = csv.reader((line.rstrip("\r") + "\n" for line in lines), delimiter=delimiter)
    try:
        return [row for row in rows if row]
    except csv.Error:
        # A field beyond all measure: certainly not the right delimiter.
        return []
