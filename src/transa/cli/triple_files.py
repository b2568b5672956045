"""Files of triples as commands take them: their options, and their rows."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial, wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from transa.cli.output import say
from transa.cli.parameters import argument, in_panel
from transa.errors import ConfigError

if TYPE_CHECKING:
    from transa.graph import Graph
    from transa.graph.readers.options import FileOptions
    from transa.graph.readers.table import Table

_option = partial(in_panel, "Files of triples")

_rdf = partial(in_panel, "RDF and data bases")

Format = Annotated[
    str | None,
    _option(
        "What they are, if it does not show: delimited, parquet, ntriples, nquads, turtle, trig, "
        "rdfxml, jsonld, duckdb or sqlite.",
        "FORMAT",
    ),
]
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
Literals = Annotated[
    str | None,
    _rdf("RDF triples that end in a literal; bin is numbers and dates in bins.", "keep|drop|bin"),
]
Graphs = Annotated[
    list[str] | None,
    _rdf("Read this named graph; can be repeated. Without: all.", "IRI|default", "--graph"),
]
Query = Annotated[
    str | None, _rdf("What to ask of a data base or an endpoint.", "SQL|SPARQL|TABLE")
]

Source = Annotated[
    str,
    argument(
        "A data set by name, a file of triples or a data base, a folder of train, valid and test "
        "or of Neo4j's export, or sparql+https://... (see docs/sources.md).",
        "GRAPH",
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
    "split": Annotated[
        str | None, _option("Shares of train, valid and test, for a single file.", "0.8,0.1,0.1")
    ],
    "duplicates": Annotated[str | None, _option("Copies of a triple.", "keep|drop")],
    "unseen": Annotated[
        str | None, _option("Labels of valid and test that train has not.", "error|drop|keep")
    ],
    "query": Query,
    "graphs": Graphs,
    "literals": Literals,
    "bins": Annotated[int | None, _rdf("Bins of a relation, with --literals bin.", "10")],
    "language": Annotated[
        str | None, _rdf("Of names, best first; else the system's language.", "de,en")
    ],
    "names_from": Annotated[
        list[str] | None,
        _rdf(
            "Where names are, else rdfs:label and skos:prefLabel; can be repeated.",
            "IRI|PROPERTY",
            "--names-from",
        ),
    ],
}
"""How `transa.read` is to read a graph: its options by name."""


def of_a_graph(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command, whose first parameter is what was `given`, a graph and its options."""

    @wraps(command)
    def complete(**given: Any) -> None:  # noqa: ANN401
        own = {name: given.pop(name) for name in list(given) if name in parameters}
        command(given, **own)

    _, *parameters_of_its_own = signature(command, eval_str=True).parameters.values()
    parameters = {p.name: p.replace(kind=Parameter.KEYWORD_ONLY) for p in parameters_of_its_own}
    named = Parameter.KEYWORD_ONLY
    complete.__signature__ = signature(command).replace(  # type: ignore[attr-defined]
        parameters=[
            Parameter("source", named, annotation=Source),
            *(Parameter(name, named, annotation=o, default=None) for name, o in OF_A_GRAPH.items()),
            *parameters.values(),
        ]
    )
    return complete


def graph_of(given: Mapping[str, Any], seed: int) -> Graph:
    """The graph that a command was given, and how to read it."""
    from transa.datasets.sources import load_graph

    tell_progress(quiet=bool(given.get("quiet")))
    # An option that can be repeated is an empty list where it is not given.
    options = {name: given[name] for name in OF_A_GRAPH if given[name] not in (None, [])}
    if "columns" in options:
        options["columns"] = columns_of(options["columns"])
    if "split" in options:
        options["split"] = _shares(options["split"])
    return load_graph(given["source"], seed=seed, **options)


def tell_progress(*, quiet: bool) -> None:
    """Say how many rows an endpoint has sent so far."""

    class Said(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            say(record.getMessage())

    log = logging.getLogger("transa.datasets.pages")
    log.handlers = [] if quiet else [Said()]
    log.setLevel(logging.WARNING if quiet else logging.INFO)


def file_options(given: Mapping[str, Any]) -> FileOptions:
    """How files are to be read, of what a command was given."""
    from transa.graph.readers.options import FileOptions

    told = {name: value for name, value in given.items() if value not in (None, [])}
    if "columns" in told:
        told["columns"] = columns_of(told["columns"])
    return FileOptions(**told)


def _shares(text: str) -> list[float]:
    try:
        return [float(share) for share in text.split(",")]
    except ValueError:
        raise ConfigError(f"--split is three numbers such as 0.8,0.1,0.1; found {text!r}") from None


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

    told = {"format": format_, "delimiter": delimiter, "header": header, "quote": quote}
    options = file_options({**told, "columns": columns, "gaps": gaps})
    return read_table(path, options)


def read_triples(path: Path, *told: Any) -> list[tuple[str, str, str]]:  # noqa: ANN401
    """The rows of a file, as labels."""
    return cast("list[tuple[str, str, str]]", read_file(path, *told).frame.rows())


def columns_of(text: str) -> list[str] | list[int]:
    """Names, or positions if all are numbers."""
    words = text.split(",")
    return [int(word) for word in words] if all(map(str.isdigit, words)) else words
