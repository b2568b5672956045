"""A slow, exact reading of delimited text that knows its line numbers.

The fast parser says that a file is bad, never where. This one is asked then, and only then.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import deque
from collections.abc import Iterator
from itertools import islice

from transa.errors import InputError
from transa.graph.readers.dialect import Dialect

LONGEST_LINE = 1 << 20
"""In bytes. A line is three labels; without a bound a file of zeros is one line."""
_UTF8 = "expected text in UTF-8 (iconv -f UTF-16 -t UTF-8 converts it from UTF-16)"
_CR_REMEDY = (
    "expected LF or CR LF at the end of each; tr '\\r' '\\n' < file makes line ends of them"
)


def records(data: bytes, dialect: Dialect, source: str) -> Iterator[tuple[int, list[str]]]:
    """Every record after the header with the number of its first line; blank lines are none."""
    cut = _quoted_records if dialect.quoted else _plain_records
    found = islice(cut(data, dialect.delimiter, source), int(dialect.header), None)
    if not dialect.padded:
        return found
    return ((line, [field.strip(" ") for field in fields]) for line, fields in found)


def check(data: bytes, dialect: Dialect, source: str, *, gaps: bool = False) -> None:
    """Raise for the first bad record; with `gaps`, one whose fields are all empty."""
    for line, fields in records(data, dialect, source):
        if len(fields) != dialect.width:
            raise InputError(
                f"{source}, line {line}: found {_columns(fields)}, "
                f"expected {dialect.width} separated by {dialect.separator}; "
                f"--columns (columns=...) says which of more, --delimiter (delimiter=...) what else"
            )
        is_there = any(fields[position] for position in dialect.positions)
        if (gaps and is_there) or (dialect.sparse and not is_there):
            continue
        for role, position in zip(dialect.roles, dialect.positions, strict=True):
            if fields[position] == "":
                raise InputError(
                    f"{source}, line {line}: the {role} (column {position + 1}) is empty; "
                    f"expected a label"
                )


def check_lines(data: bytes, source: str) -> None:
    """Raise where lines are no lines: beyond all measure, or all of them ended by CR alone."""
    if b"\n" not in data and b'"' not in data and data.count(b"\r") > 1:
        raise InputError(f"{source}: the lines end in CR alone, {_CR_REMEDY}")
    begin = data[:64]
    if len(data) > 7 and not (any(begin[::2]) and any(begin[1::2])):
        # With its mark it is no UTF-8, and told as that.
        raise InputError(
            f"{source}, line 1: found zero bytes, as in UTF-16 and in files that are no text; "
            f"{_UTF8}"
        )
    start = 0
    while len(data) - start > LONGEST_LINE:
        end = data.rfind(b"\n", start, start + LONGEST_LINE)
        if end < 0:
            line = data.count(b"\n", 0, start) + 1
            raise InputError(
                f"{source}, line {line}: longer than {LONGEST_LINE:,} bytes, expected one triple a "
                f"line; --format (format=...) says so if this is not delimited text"
            )
        start = end + 1


def check_line_ends(data: bytes, dialect: Dialect, source: str) -> None:
    """Raise for a CR that is neither part of a line end nor in quotes."""
    if data.count(b"\r") == data.count(b"\r\n") or (dialect.quoted and b'"' in data):
        return
    stray = re.search(rb"\r(?!\n)", data)
    if stray is not None:
        line = data.count(b"\n", 0, stray.start()) + 1
        raise InputError(f"{source}, line {line}: found a CR within the line, {_CR_REMEDY}")


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
                f"which is not UTF-8; {_UTF8}"
            ) from error


def _columns(fields: list[str]) -> str:
    shown = ", ".join(repr(field[:40]) for field in fields[:5])
    more = ", ..." if len(fields) > 5 else ""
    return f"{len(fields)} {'column' if len(fields) == 1 else 'columns'} ({shown}{more})"
