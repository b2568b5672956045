"""A SPARQL endpoint as a source: ``sparql+https://example.org/sparql``.

Asked is what the user names, and nobody else. Blank nodes are left out: what an endpoint calls one
in a page, it may call another in the next.
"""

from __future__ import annotations

import inspect
import re
import urllib.parse
from itertools import chain
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from transa.datasets.pages import Endpoint, pages
from transa.errors import ConfigError, InputError, optional
from transa.graph import Graph
from transa.graph.building.assembling import Choices, graph_from_tables
from transa.graph.building.reading import read
from transa.graph.readers.columns import find_columns, is_usual_header
from transa.graph.readers.options import FileOptions
from transa.graph.readers.rdf.collecting import Collector
from transa.graph.readers.table import Table

if TYPE_CHECKING:
    from pyoxigraph import NamedNode, QuerySolutions

    from transa.graph.readers.rdf.collecting import Term

_SCHEME = "sparql+"
_ALL = "SELECT ?s ?p ?o WHERE { ?s ?p ?o }"
# Of `read`'s options those that say something of an endpoint.
_OF_FACTS = ("query", "columns", "literals", "language", "names_from", "graphs")
_OF_GRAPH = ("split", "duplicates", "bins", "unseen")
# What stands before the query itself; a comment may hide what follows.
_PROLOGUE = re.compile(
    r"(?:\s*(?:PREFIX\s+\S*:\s*<[^>]*>|BASE\s*<[^>]*>|#[^\n]*\n))*\s*", re.IGNORECASE
)


def is_endpoint(source: object) -> bool:
    """Whether it is the address of an endpoint."""
    return isinstance(source, str) and source.startswith(_SCHEME)


def read_endpoint(source: str, *, seed: int = 0, name: str | None = None, **options: Any) -> Graph:  # noqa: ANN401
    """The graph that an endpoint has, or that a query gives."""
    strange = options.keys() - {*_OF_FACTS, *_OF_GRAPH}
    if strange:
        raise ConfigError(
            f"{', '.join(sorted(strange))}: for files; an endpoint takes "
            f"{', '.join((*_OF_FACTS, *_OF_GRAPH))}"
        )
    told = FileOptions(**{name: options[name] for name in _OF_FACTS if name in options})
    default = inspect.signature(read).parameters["split"].default
    of_graph = {name: options[name] for name in _OF_GRAPH if name in options}
    choices = Choices(**{"split": default, "seed": seed, **of_graph})
    endpoint = Endpoint.at(source.removeprefix(_SCHEME), told.graphs)
    host = urllib.parse.urlsplit(endpoint.url).hostname
    return graph_from_tables({"train": _table(endpoint, told)}, choices, name or str(host))


def _table(endpoint: Endpoint, told: FileOptions) -> Table:
    rdf = optional("pyoxigraph", "rdf", f"{endpoint.url}: asking an endpoint")
    prologue, query = _parts(told.query or _ALL)
    inside = f"WHERE {{ {{ {query}\n}} }}"
    answer = endpoint.ask(f"{prologue}SELECT * {inside}\nLIMIT 1")
    variables = [variable.value for variable in _solutions(rdf, endpoint, answer).variables]
    if told.columns is None and not is_usual_header(variables):
        # In what order an endpoint tells of variables is its own affair.
        raise InputError(
            f"{endpoint.url}: the query gives {', '.join(f'?{name}' for name in variables)}; call "
            f"three of them ?s ?p ?o, or name them in --columns (columns=...)"
        )
    places = find_columns(variables, len(variables), told.columns, f"{endpoint.url}: the query")
    names = [variables[place] for place in places]
    wanted = " ".join(f"?{name}" for name in names)
    collector = Collector(rdf, told, endpoint.url, lambda _: True)

    def parse(page: bytes) -> list[list[Term]]:
        return [[row[name] for name in names] for row in _solutions(rdf, endpoint, page)]

    asked = f"{prologue}SELECT {wanted} {inside}\nORDER BY {wanted}"
    rows = chain.from_iterable(pages(endpoint, asked, parse))
    number = blank = 0
    for number, terms in enumerate(rows, start=1):
        are_iris = all(isinstance(term, rdf.NamedNode) for term in terms[:2])
        if any(isinstance(term, rdf.BlankNode) for term in terms):
            blank += 1
        elif are_iris and terms[2] is not None:
            collector.add(number, terms[0], cast("NamedNode", terms[1]), terms[2])
        else:
            raise InputError(
                f"{endpoint.url}, row {number:,}: found {' '.join(map(str, terms))[:200]}; "
                f"expected two IRIs and a third or a literal"
            )
    if not len(collector):
        raise InputError(f"{endpoint.url} gives no triples between entities; found {number:,} rows")
    left_out = f", {blank:,} more with a blank node (dropped)" if blank else ""
    return collector.table(f"SPARQL endpoint{left_out}", "row")


def _parts(query: str) -> tuple[str, str]:
    """What stands before a query, and the query, which is to be part of another."""
    found = _PROLOGUE.match(query)
    start = found.end() if found else 0
    if not re.match(r"SELECT\b", query[start:], re.IGNORECASE):
        raise ConfigError(
            f"the query of an endpoint is a SELECT of three variables such as {_ALL!r}; found "
            f"{query[start:].strip()[:60]!r}"
        )
    return query[:start], query[start:]


def _solutions(rdf: ModuleType, endpoint: Endpoint, page: bytes) -> QuerySolutions:
    try:
        found = rdf.parse_query_results(page, format=rdf.QueryResultsFormat.JSON)
    except (SyntaxError, ValueError) as error:
        raise InputError(
            f"{endpoint.url}: the answer is no table of SPARQL results in JSON "
            f"({' '.join(str(error).split())[:200]}); is that the address of the endpoint?"
        ) from error
    if not isinstance(found, rdf.QuerySolutions):
        raise InputError(f"{endpoint.url}: the answer is yes or no, expected a table")
    return cast("QuerySolutions", found)
