"""A file of triples as a command takes it: its options, and its rows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, cast

import typer

_PANEL = "The file"

Format = Annotated[
    str | None,
    typer.Option(
        metavar="delimited|parquet|ntriples|turtle", help="What it is.", rich_help_panel=_PANEL
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        metavar="tab|comma|space|CHARACTER", help="Between columns.", rich_help_panel=_PANEL
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line names the columns.",
        rich_help_panel=_PANEL,
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(
        metavar="H,R,T",
        help="Where head, relation and tail are, by name or from 0.",
        rich_help_panel=_PANEL,
    ),
]
Quote = Annotated[
    bool | None,
    typer.Option(
        "--quote/--no-quote",
        help="Whether labels may be in double quotes.",
        rich_help_panel=_PANEL,
    ),
]


def read_triples(
    path: Path,
    format_: str | None,
    delimiter: str | None,
    header: bool | None,
    columns: str | None,
    quote: bool | None,
) -> list[tuple[str, str, str]]:
    """The rows of a file, as labels."""
    from transa.graph.readers.formats import read_table
    from transa.graph.readers.options import FileOptions
    from transa.graph.readers.options import Format as FileFormat

    wanted = None if columns is None else columns_of(columns)
    options = FileOptions(cast("FileFormat", format_), delimiter, header, wanted, quote)
    return cast("list[tuple[str, str, str]]", read_table(path, options).frame.rows())


def columns_of(text: str) -> list[str] | list[int]:
    """Names, or positions if all are numbers."""
    words = text.split(",")
    return [int(word) for word in words] if all(map(str.isdigit, words)) else words
