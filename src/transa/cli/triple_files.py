"""Files of triples as commands take them: their options, and their rows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from transa.cli.parameters import in_panel

if TYPE_CHECKING:
    from transa.graph.readers.table import Table

_option = partial(in_panel, "Files of triples")

Format = Annotated[str | None, _option("What they are.", "delimited|parquet|ntriples|turtle")]
Delimiter = Annotated[str | None, _option("Between columns.", "tab|comma|space|CHARACTER")]
Header = Annotated[
    bool | None, _option("Whether the first line names the columns.", name="--header/--no-header")
]
Columns = Annotated[
    str | None, _option("Where head, relation and tail are, by name or from 0.", "H,R,T")
]
Quote = Annotated[
    bool | None,
    _option(
        "Whether labels may be in double quotes; with tabs they may not unless said.",
        name="--quote/--no-quote",
    ),
]

OF_A_GRAPH: Mapping[str, Any] = {
    "valid": Annotated[Path | None, _option("Validation triples, if in their own file.", "FILE")],
    "test": Annotated[Path | None, _option("Test triples, if in their own file.", "FILE")],
    "format": Format,
    "delimiter": Delimiter,
    "header": Header,
    "columns": Columns,
    "quote": Quote,
    "literals": Annotated[str | None, _option("RDF triples that end in a literal.", "keep|drop")],
    "split": Annotated[
        str | None, _option("Shares of train, valid and test, for a single file.", "0.8,0.1,0.1")
    ],
    "duplicates": Annotated[str | None, _option("Copies of a triple.", "keep|drop")],
    "unseen": Annotated[
        str | None, _option("Labels of valid and test that train has not.", "error|drop|keep")
    ],
}
"""How `transa.read` is to read a graph: its options by name."""


def read_file(
    path: Path,
    format_: str | None,
    delimiter: str | None,
    header: bool | None,
    columns: str | None,
    quote: bool | None,
    *,
    gaps: bool = False,
) -> Table:
    """The table of a file; of questions, if it may have gaps."""
    from transa.graph.readers.formats import read_table
    from transa.graph.readers.options import FileOptions
    from transa.graph.readers.options import Format as FileFormat

    wanted = None if columns is None else columns_of(columns)
    options = FileOptions(cast("FileFormat", format_), delimiter, header, wanted, quote, gaps=gaps)
    return read_table(path, options)


def read_triples(path: Path, *told: Any) -> list[tuple[str, str, str]]:  # noqa: ANN401
    """The rows of a file, as labels."""
    return cast("list[tuple[str, str, str]]", read_file(path, *told).frame.rows())


def columns_of(text: str) -> list[str] | list[int]:
    """Names, or positions if all are numbers."""
    words = text.split(",")
    return [int(word) for word in words] if all(map(str.isdigit, words)) else words
