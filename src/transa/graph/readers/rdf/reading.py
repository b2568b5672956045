"""A file of RDF as a table, or part by part."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import polars as pl

from transa.errors import ConfigError, InputError, optional
from transa.graph.readers.content import opened
from transa.graph.readers.options import FileOptions, Format
from transa.graph.readers.rdf.collecting import Collector
from transa.graph.readers.rdf.parsing import Watched, statements
from transa.graph.readers.rdf.syntaxes import SYNTAXES, Syntax
from transa.graph.readers.table import Table

if TYPE_CHECKING:
    from pyoxigraph import Quad

_MOST_GRAPHS_TOLD = 5
_DEFAULT = "default"


def read_rdf(path: Path, data: bytes, kind: Format, told: FileOptions) -> Table:
    """The facts of an RDF file whose content is `data`, and its names."""
    syntax, number, graphs = SYNTAXES[kind], 0, _Graphs(told)
    rdf = optional("pyoxigraph", "rdf", f"{path}: reading {syntax.name}")
    stream = Watched(io.BytesIO(data), str(path), syntax)
    collector = Collector(rdf, told, str(path), stream.is_named)
    for number, quad in enumerate(_told(rdf, path, stream, syntax, data), start=1):
        if quad in graphs:
            collector.add(number, quad.subject, quad.predicate, quad.object)
    if not len(collector):
        graphs.check(path, number)
        raise InputError(f"{path} holds no triples between entities; found {number} statements")
    return collector.table(graphs.remark(syntax.name))


def rdf_parts(path: Path, kind: Format, told: FileOptions, rows: int) -> Iterator[pl.DataFrame]:
    """The facts of an RDF file of any size, so many at a time, without its names."""
    syntax, graphs = SYNTAXES[kind], _Graphs(told)
    rdf = optional("pyoxigraph", "rdf", f"{path}: reading {syntax.name}")
    refuse_bins(path, told)
    with opened(path) as file:
        stream = Watched(file, str(path), syntax)
        collector = Collector(rdf, told, str(path), stream.is_named, with_names=False)
        for number, quad in enumerate(statements(rdf, path, stream, syntax), start=1):
            if quad in graphs:
                collector.add(number, quad.subject, quad.predicate, quad.object)
            if len(collector) >= rows:
                yield collector.frame()
        if len(collector):
            yield collector.frame()


def rdf_lines(source: str, data: bytes, kind: Format, told: FileOptions) -> pl.DataFrame:
    """The facts of some lines of N-Triples or N-Quads, of which there may be none."""
    path, syntax, graphs = Path(source), SYNTAXES[kind], _Graphs(told)
    rdf = optional("pyoxigraph", "rdf", f"{path}: reading {syntax.name}")
    refuse_bins(path, told)
    stream = Watched(io.BytesIO(data), source, syntax)
    # No line is without a name for its blank nodes.
    collector = Collector(rdf, told, source, lambda _: True, with_names=False)
    for quad in _told(rdf, path, stream, syntax, data):
        if quad in graphs:
            collector.add(0, quad.subject, quad.predicate, quad.object)
    return collector.frame()


def refuse_bins(path: Path, told: FileOptions) -> None:
    """Refuse to put in bins what is read in parts: where a bin ends shows when all is read."""
    if told.literals == "bin":
        raise ConfigError(
            f"{path}: literals are put in bins when all of them are in memory, not in partitions; "
            f"--literals drop leaves them out"
        )


class _Graphs:
    """Which named graphs are wanted, and which there are."""

    def __init__(self, told: FileOptions) -> None:
        self._wanted = None if told.graphs is None else frozenset(told.graphs)
        self._found: dict[str, None] = {}

    def __contains__(self, quad: Quad) -> bool:
        graph = getattr(quad.graph_name, "value", _DEFAULT)
        self._found[graph] = None
        return self._wanted is None or graph in self._wanted

    def check(self, path: Path, statements_: int) -> None:
        """Say which graphs there are, if that is why nothing was found."""
        if self._wanted is not None and statements_ and not self._wanted & self._found.keys():
            raise InputError(
                f"{path} has nothing in the graph {', '.join(sorted(self._wanted))}; it has the "
                f"graphs {self._listed()}"
            )

    def remark(self, name: str) -> str:
        """The name of the syntax, and what of several graphs was read."""
        if len(self._found) < 2:
            return name
        count = len(self._found if self._wanted is None else self._wanted & self._found.keys())
        return f"{name}, {count:,} of its {len(self._found):,} graphs"

    def _listed(self) -> str:
        shown = ", ".join(list(self._found)[:_MOST_GRAPHS_TOLD])
        return f"{shown}, ..." if len(self._found) > _MOST_GRAPHS_TOLD else shown


def _told(
    rdf: ModuleType, path: Path, stream: Watched, syntax: Syntax, data: bytes
) -> Iterator[Quad]:
    """The statements; of lines that stand for themselves the bad one is named."""
    try:
        yield from statements(rdf, path, stream, syntax)
    except InputError:
        if syntax.by_line:
            _check_lines(rdf, path, syntax, data)
        raise


def _check_lines(rdf: ModuleType, path: Path, syntax: Syntax, data: bytes) -> None:
    """Raise for the first line that is at fault: the parser may notice only at the next."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        try:
            list(rdf.parse(input=line, format=syntax.of(rdf), lenient=True))
        except SyntaxError as error:
            reason = " ".join(error.msg.split())[:300]
            raise InputError(
                f"{path}, line {number}: not {syntax.name}: {reason}; "
                f"--format (format=...) says what else it is"
            ) from error
