"""A slow, exact reading of delimited text that knows its line numbers.

The fast parser says that a file is bad, never where. This one is asked then, and only then.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections import deque
from collections.abc import Iterator
from itertools import islice

from transa.errors import InputError
from transa.graph.readers.dialect import Dialect


def records(data: bytes, dialect: Dialect, source: str) -> Iterator[tuple[int, list[str]]]:
    """Every record after the header with the number of its first line; blank lines are none."""
    cut = _quoted_records if dialect.quoted else _plain_records
    found = islice(cut(data, dialect.delimiter, source), int(dialect.header), None)
    if not dialect.padded:
        return found
    return ((line, [field.strip(" ") for field in fields]) for line, fields in found)


def check(data: bytes, dialect: Dialect, source: str) -> None:
    """Raise for the first bad record."""
    for line, fields in records(data, dialect, source):
        if len(fields) != dialect.width:
            raise InputError(
                f"{source}, line {line}: found {_columns(fields)}, "
                f"expected {dialect.width} separated by {dialect.separator}"
            )
        for role, position in zip(dialect.roles, dialect.positions, strict=True):
            if fields[position] == "":
                raise InputError(
                    f"{source}, line {line}: the {role} (column {position + 1}) is empty; "
                    f"expected a label"
                )


def is_well_quoted(data: bytes, dialect: Dialect) -> bool:
    """Whether every quote is where it belongs: `check` without line numbers, and far faster."""
    text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", errors="replace", newline="")
    reader = csv.reader(text, delimiter=dialect.delimiter, strict=True)
    try:
        deque(reader, maxlen=0)
    except csv.Error:
        return False
    return True


def line_of_record(data: bytes, dialect: Dialect, source: str, index: int) -> int:
    """The line on which the record with this index begins."""
    line, _ = next(islice(records(data, dialect, source), index, None))
    return line


def _plain_records(data: bytes, delimiter: str, source: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(_lines(data, source), start=1):
        text = line.rstrip("\r\n")
        if text:
            yield number, text.split(delimiter)


def _quoted_records(data: bytes, delimiter: str, source: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(_lines(data, source), delimiter=delimiter, strict=True)
    line = 1
    try:
        for fields in reader:
            if fields:
                yield line, fields
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(
            f"{source}, line {line}: the quotes do not match ({error}); "
            f'expected "..." round a whole field, with "" for a quote inside; '
            f"--no-quote (quote=False) takes quotes as part of the labels"
        ) from error


def _lines(data: bytes, source: str) -> Iterator[str]:
    start = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    stream = io.BytesIO(data)
    stream.seek(start)
    for number, line in enumerate(stream, start=1):
        try:
            yield line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InputError(
                f"{source}, line {number}: found the byte 0x{line[error.start]:02x}, "
                f"which is not UTF-8; expected text in UTF-8"
            ) from error


def _columns(fields: list[str]) -> str:
    shown = ", ".join(repr(field[:40]) for field in fields[:5])
    more = ", ..." if len(fields) > 5 else ""
    return f"{len(fields)} {'column' if len(fields) == 1 else 'columns'} ({shown}{more})"
