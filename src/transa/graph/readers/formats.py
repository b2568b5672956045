"""Any file of triples: told apart by name and content, and handed to its reader."""

from __future__ import annotations

import re
from pathlib import Path

from transa.errors import ConfigError
from transa.files.forks import before_polars
from transa.graph.readers import parquet
from transa.graph.readers.content import COMPRESSION_SUFFIXES, load
from transa.graph.readers.delimited import read_delimited
from transa.graph.readers.options import FileOptions, Format
from transa.graph.readers.rdf import read_rdf
from transa.graph.readers.table import Table

_FORMATS: dict[str, Format] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".nt": "ntriples",
    ".ttl": "turtle",
    ".tsv": "delimited",
    ".csv": "delimited",
}
# Suffixes that promise text but no more: the content decides.
_TEXT_SUFFIXES = (".txt", ".tab", ".dat", ".data")
DATA_SUFFIXES = (*_FORMATS, *_TEXT_SUFFIXES)

_TURTLE = re.compile(rb"\s*(?:#.*\n\s*)*(?:@prefix|@base|prefix\s|base\s)[^\n]*<", re.IGNORECASE)
_NTRIPLES = re.compile(
    rb"\s*(?:#.*\n\s*)*(?:<[^>\n]*>|_:\S+)\s+<[^>\n]*>\s+\S.*\.[ \t\r]*(?:\n|\Z)"
)


def read_table(path: Path, told: FileOptions) -> Table:
    """The triples of a file as labels.

    Raises:
        InputError: If it is not what it should be; the message names the file and the line.
    """
    before_polars()
    data = load(path)
    kind = told.format or detect(path, data)
    if kind == "delimited":
        return read_delimited(path, data, told)
    refuse_text_options(path, kind, told)
    if kind == "parquet":
        return parquet.read_parquet(path, data, told)
    return read_rdf(path, data, kind, told)


def refuse_text_options(path: Path, kind: Format, told: FileOptions) -> None:
    """Refuse what is told of text about a file that is something else."""
    if any(x is not None for x in (told.delimiter, told.header, told.quote)):
        raise ConfigError(
            f"{path} is {kind}; delimiter, header and quote are for delimited files "
            f"(format='delimited' reads it as one)"
        )


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
    promised = _FORMATS.get(_without_compression(path).suffix.casefold())
    if promised is not None:
        return promised
    start = data[: 1 << 12]
    if _TURTLE.match(start):
        return "turtle"
    return "ntriples" if _NTRIPLES.match(start) else "delimited"
