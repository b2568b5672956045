"""N-Triples and Turtle, by pyoxigraph."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Literal

import polars as pl

from transa.errors import InputError, optional
from transa.graph.readers.options import FileOptions
from transa.graph.readers.table import ROLES, Table, label_type

if TYPE_CHECKING:
    from pyoxigraph import Quad

_NAMES: dict[str, str] = {"ntriples": "N-Triples", "turtle": "Turtle"}


def read_rdf(
    path: Path,
    data: bytes,
    syntax: Literal["ntriples", "turtle"],
    told: FileOptions,
    *,
    is_part: bool = False,
) -> Table:
    """The triples of an RDF file whose content is `data`; of a part of one there may be none.

    Labels are IRIs without their brackets, ``_:x`` for blank nodes, and literals as N-Triples
    writes them.
    """
    rdf = optional("pyoxigraph", "rdf", f"{path}: reading {_NAMES[syntax]}")
    label = _labeller(rdf, path, data)
    rows: list[tuple[str, str, str]] = []
    statements: list[int] = []
    number = 0
    for number, quad in enumerate(_statements(rdf, path, data, syntax), start=1):
        if told.literals == "drop" and isinstance(quad.object, rdf.Literal):
            continue
        rows.append((label(quad.subject), label(quad.predicate), label(quad.object)))
        statements.append(number)
    if not rows and not is_part:
        raise InputError(f"{path} holds no triples between entities; found {number} statements")
    return Table(
        frame=pl.DataFrame(rows, schema={role: label_type() for role in ROLES}, orient="row"),
        source=str(path),
        format=_NAMES[syntax],
        place=lambda row: f"statement {statements[row]}",
        literals_dropped=number - len(rows),
    )


def _statements(rdf: ModuleType, path: Path, data: bytes, syntax: str) -> Iterator[Quad]:
    rdf_format = rdf.RdfFormat.N_TRIPLES if syntax == "ntriples" else rdf.RdfFormat.TURTLE
    try:
        # Lenient: an IRI is but a label here, so a relative one is as good as any.
        yield from rdf.parse(input=data, format=rdf_format, lenient=True)
    except SyntaxError as error:
        line = (_first_bad_line(rdf, data) if syntax == "ntriples" else None) or error.lineno
        reason = " ".join(error.msg.split())[:300]
        raise InputError(
            f"{path}, line {line}: not {_NAMES[syntax]}: {reason}; "
            f"--format (format=...) says what else it is"
        ) from error


def _first_bad_line(rdf: ModuleType, data: bytes) -> int | None:
    """The line of N-Triples that is at fault: the parser may notice only at the next."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        try:
            list(rdf.parse(input=line, format=rdf.RdfFormat.N_TRIPLES, lenient=True))
        except SyntaxError:
            return number
    return None


def _labeller(rdf: ModuleType, path: Path, data: bytes) -> Callable[[object], str]:
    """Labels for terms, the same in every run.

    Blank nodes without a name of their own (``[]``) get a random one from the parser: they are
    numbered here instead, under the name of their file, whose they are.
    """
    written = {
        name.rstrip(b".").decode("utf-8", errors="replace")
        for name in re.findall(rb"_:([^\s,;()\[\]<>]+)", data)
    }
    numbers: dict[str, int] = {}

    def label(term: object) -> str:
        if isinstance(term, rdf.NamedNode):
            return str(term.value)
        if isinstance(term, rdf.BlankNode) and term.value not in written:
            return f"_:{path.name}#{numbers.setdefault(term.value, len(numbers) + 1)}"
        return str(term)

    return label
