"""Any file of triples: told apart by name and content, and handed to its reader."""

from __future__ import annotations

from pathlib import Path

from transa.errors import ConfigError
from transa.files.forks import before_polars
from transa.graph.readers import parquet
from transa.graph.readers.content import COMPRESSION_SUFFIXES, load, opened
from transa.graph.readers.database import database_of, read_database
from transa.graph.readers.delimited import read_delimited
from transa.graph.readers.options import FileOptions, Format
from transa.graph.readers.rdf.reading import read_rdf
from transa.graph.readers.rdf.syntaxes import SYNTAXES, syntax_of
from transa.graph.readers.table import Table

_FORMATS: dict[str, Format] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".tsv": "delimited",
    ".csv": "delimited",
    **{suffix: kind for kind, syntax in SYNTAXES.items() for suffix in syntax.suffixes},
}
# Suffixes that promise text but no more: the content decides.
_TEXT_SUFFIXES = (".txt", ".tab", ".dat", ".data")
DATA_SUFFIXES = (*_FORMATS, *_TEXT_SUFFIXES)

_DATABASES: tuple[Format, ...] = ("duckdb", "sqlite")
# What is told of a file, and of which formats it can be told.
_OF: dict[str, tuple[tuple[Format, ...], str]] = {
    "delimiter": (("delimited",), "delimited files"),
    "header": (("delimited",), "delimited files"),
    "quote": (("delimited",), "delimited files"),
    "query": (_DATABASES, "data bases"),
    "graphs": (tuple(SYNTAXES), "RDF"),
    "language": (tuple(SYNTAXES), "RDF"),
    "names_from": (("delimited", *SYNTAXES), "RDF and Neo4j's exports"),
}


def read_table(path: Path, told: FileOptions) -> Table:
    """The triples of a file as labels.

    Raises:
        InputError: If it is not what it should be; the message names the file and the line.
    """
    before_polars()
    with opened(path) as stream:
        kind = told.format or detect(path, stream.read(1 << 12))
    refuse_strange_options(path, kind, told)
    if kind in _DATABASES:
        return read_database(path, kind, told)
    data = load(path)
    if kind == "delimited":
        return read_delimited(path, data, told)
    if kind == "parquet":
        return parquet.read_parquet(path, data, told)
    return read_rdf(path, data, kind, told)


def refuse_strange_options(path: Path, kind: Format, told: FileOptions) -> None:
    """Refuse what is told of a file that it cannot be told of."""
    for option, (kinds, whose) in _OF.items():
        if getattr(told, option) is not None and kind not in kinds:
            remedy = f" (format={kinds[0]!r} reads it as one)" if len(kinds) == 1 else ""
            raise ConfigError(f"{path} is {kind}; {option} is for {whose}{remedy}")


def data_stem(path: Path) -> str | None:
    """A data file's name without its suffixes (``train`` of ``train.tsv.gz``); None for others."""
    bare = _without_compression(path)
    if bare.suffix == "":
        return bare.name
    return bare.stem if bare.suffix.casefold() in DATA_SUFFIXES else None


def _without_compression(path: Path) -> Path:
    return path.with_suffix("") if path.suffix in COMPRESSION_SUFFIXES else path


def detect(path: Path, data: bytes) -> Format:
    """What a file is, by its name and its first bytes."""
    if data.startswith(parquet.MAGIC):
        return "parquet"
    database = database_of(data)
    if database is not None:
        return database
    promised = _FORMATS.get(_without_compression(path).suffix.casefold())
    if promised is not None:
        return promised
    return syntax_of(data[: 1 << 12]) or "delimited"
