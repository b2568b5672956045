"""What a user may say about a file, where it should not be guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from transa.errors import ConfigError, one_of

Format: TypeAlias = Literal[
    "delimited",
    "parquet",
    "ntriples",
    "nquads",
    "turtle",
    "trig",
    "rdfxml",
    "jsonld",
    "duckdb",
    "sqlite",
]
Literals: TypeAlias = Literal["keep", "drop", "bin"]
Columns: TypeAlias = Sequence[str] | Sequence[int]

_DELIMITERS_BY_NAME = {"tab": "\t", "comma": ",", "space": " "}


@dataclass(frozen=True)
class FileOptions:
    """How to read a file: the arguments of `transa.read`; None means: find out."""

    format: Format | None = None
    delimiter: str | None = None
    header: bool | None = None
    columns: Columns | None = None
    quote: bool | None = None
    literals: Literals = "keep"
    language: str | None = None
    """Tags, best first, with commas: which of several names is shown. By default the system's."""
    names_from: Sequence[str] | None = None
    """What holds names: predicates of RDF, or a property of Neo4j's nodes."""
    graphs: Sequence[str] | None = None
    """The named graphs that are read, "default" being the one without a name; None means all."""
    query: str | None = None
    """What to ask of a data base: SQL, or SPARQL of an endpoint."""
    gaps: bool = False
    """Whether fields may be empty or a question mark: questions. Their labels are null."""

    def __post_init__(self) -> None:
        one_of("format", self.format, (None, *get_args(Format)))
        one_of("literals", self.literals, get_args(Literals))
        for setting in ("header", "quote"):
            if not isinstance(getattr(self, setting), bool | None):
                raise ConfigError(
                    f"{setting} is True, False or None; found {getattr(self, setting)!r:.100}"
                )
        for setting in ("language", "query"):
            if not isinstance(getattr(self, setting), str | None):
                raise ConfigError(f"{setting} is text, found {getattr(self, setting)!r:.100}")
        for setting in ("names_from", "graphs"):
            if not _are_texts(getattr(self, setting)):
                raise ConfigError(
                    f"{setting} is a list of texts, found {getattr(self, setting)!r:.100}"
                )
        if self.columns is not None:
            check_columns(self.columns)
        if self.delimiter is not None:
            object.__setattr__(self, "delimiter", _as_character(self.delimiter))


def _are_texts(value: object) -> bool:
    texts = value if isinstance(value, Sequence) and not isinstance(value, str) else (None,)
    return value is None or all(isinstance(text, str) for text in texts)


def check_columns(wanted: object) -> None:
    """Refuse what does not name three columns."""
    columns = wanted if isinstance(wanted, Sequence) and not isinstance(wanted, str) else ()
    kinds = {type(column) for column in columns}
    if kinds not in ({str}, {int}) or not len(columns) == len(set(columns)) == 3:
        raise ConfigError(
            f"columns is three different columns, all by name or all by position from 0, in the "
            f"order head, relation, tail; found {wanted!r:.100}"
        )


def _as_character(delimiter: str) -> str:
    character = _DELIMITERS_BY_NAME.get(str(delimiter), delimiter)
    is_character = isinstance(character, str) and len(character) == 1 and character.isascii()
    if not is_character or character in '\r\n"':
        raise ConfigError(
            f"the delimiter is 'tab', 'comma', 'space' or another single ASCII character; "
            f"found {delimiter!r:.100}"
        )
    return character
