"""`transa prepare`: from triples, more than fit into memory, to a graph in partitions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from transa.cli.output import print_json, print_next, say
from transa.cli.parameters import Json, argument, option
from transa.cli.triple_files import (
    OF_A_GRAPH,
    Columns,
    Delimiter,
    Format,
    Graphs,
    Header,
    Literals,
    Query,
    Quote,
    file_options,
)
from transa.errors import ConfigError

if TYPE_CHECKING:
    from transa.prepared.graph import PreparedGraph
    from transa.settings.config import Settings

# How its files are read, which is all that can be said of what is read in parts.
_OF_FILES = ("format", "delimiter", "header", "columns", "quote", "query", "graphs", "literals")


def prepare(
    source: Annotated[
        str,
        argument("A file of triples or a data base, a folder, or a data set by name.", "SOURCE"),
    ],
    out: Annotated[Path, option("Folder for the prepared graph.", "DIR")],
    partitions: Annotated[
        int | None, option("Parts that entities are in; else as `--memory` says.", "INTEGER")
    ] = None,
    memory: Annotated[str, option("What preparing and training may take.", "4GB")] = "4GB",
    dim: Annotated[
        int | None, option("Length of the vectors that it is prepared for.", "INTEGER")
    ] = None,
    held_out: Annotated[
        int, option("Triples for valid, and as many for test, of a single file.")
    ] = 5000,
    seed: Annotated[int, option("Of what is held out, and of the order of entities.")] = 0,
    format: Format = None,  # noqa: A002 (the name of the option)
    delimiter: Delimiter = None,
    header: Header = None,
    columns: Columns = None,
    quote: Quote = None,
    query: Query = None,
    graphs: Graphs = None,
    literals: Literals = None,
    quiet: Annotated[bool, option("Say nothing but errors.", name="--quiet")] = False,
    json: Json = False,
) -> None:
    """Read triples of which there may be more than fit into memory, once and for all trainings.

    A call that was stopped goes on where it was.
    """
    from transa.prepared.memory import bytes_of
    from transa.prepared.prepare import Plan
    from transa.prepared.prepare import prepare as make
    from transa.settings.by_size import LARGE, settings_for
    from transa.training.partitioned.checks import row_bytes

    told = (format, delimiter, header, columns, quote, query, graphs, literals)
    options = file_options(dict(zip(_OF_FILES, told, strict=True)))
    settings = settings_for("transe", {} if dim is None else {"dim": dim}, LARGE).settings
    bytes_a_row = row_bytes(settings.energy, settings.recipe)
    plan = Plan(partitions, bytes_of(memory), bytes_a_row, held_out, seed)
    graph = make(source, out, plan, options, (lambda _: None) if quiet else say)
    if json:
        print_json(_told(graph))
    elif not quiet:
        say(f"{_counts(graph)} in {graph.layout.partitions:,} partitions; it is in {out}")
        print_next(("transa", "train", str(out), "--memory", memory))


def prepared_for_training(given: Mapping[str, Any], settings: Settings) -> PreparedGraph:
    """A graph in partitions, prepared for such settings if it is not yet."""
    from transa.prepared.graph import PreparedGraph
    from transa.prepared.memory import bytes_of
    from transa.prepared.record import is_prepared
    from transa.training.partitioned.checks import check_settings

    check_settings(settings.energy, settings.recipe)
    if not is_prepared(given["source"]):
        memory = None if given["memory"] is None else bytes_of(given["memory"])
        return _prepare(given, settings, memory)
    told = [name for name in (*OF_A_GRAPH, "partitions") if given[name] is not None]
    if told:
        raise ConfigError(f"{', '.join(told)}: for `transa prepare`; this graph is prepared")
    return PreparedGraph(Path(given["source"]))


def room_for(
    graph: PreparedGraph, settings: Settings, given: Mapping[str, Any]
) -> Mapping[str, int | None]:
    """How much of a graph is to be in memory, which is told."""
    from transa.prepared.memory import bytes_of, needed
    from transa.training.partitioned.checks import partitions_at_hand, row_bytes, triples_of

    how = settings.energy, settings.recipe
    memory = None if given["memory"] is None else bytes_of(given["memory"])
    at_hand = fit = partitions_at_hand(*how, graph, memory)
    if memory is None and given["partitions"] is not None:
        at_hand = min(fit, graph.layout.partitions // 2 + 1)
    if not given["quiet"]:
        takes = needed(graph.layout, at_hand, triples_of(settings.energy, graph), row_bytes(*how))
        say(
            f"{graph.layout.partitions:,} partitions of {graph.layout.rows:,} entities, "
            f"{at_hand:,} of them in memory: about {takes / 1e9:,.1f} GB"
        )
    return {"memory": memory, "at_hand": at_hand}


def _prepare(given: Mapping[str, Any], settings: Settings, memory: int | None) -> PreparedGraph:
    """Prepare what is to be trained on, beside the model."""
    from transa.prepared.prepare import Plan
    from transa.prepared.prepare import prepare as make
    from transa.training.partitioned.checks import row_bytes

    not_ours = [n for n in OF_A_GRAPH if n not in _OF_FILES and given[n]]
    if not_ours:
        raise ConfigError(
            f"{', '.join(not_ours)}: not for graphs in partitions, which hold out what `transa "
            "prepare --held-out` says, drop copies, and take names from entity_names.tsv alone"
        )
    plan = Plan(
        given["partitions"],
        memory or Plan().memory,
        row_bytes(settings.energy, settings.recipe),
        seed=settings.recipe.seed,
    )
    name = Path(given["source"]).name.partition(".")[0]
    folder = given["out"] or Path("runs") / f"{name}-{settings.model}"
    options = file_options({name: given[name] for name in _OF_FILES})
    quietly = given["quiet"]
    return make(
        given["source"],
        folder.with_name(folder.name + ".prepared"),
        plan,
        options,
        (lambda _: None) if quietly else say,
    )


def _counts(graph: PreparedGraph) -> str:
    return repr(graph).removeprefix("Graph(").removesuffix(")")


def _told(graph: PreparedGraph) -> dict[str, Any]:
    record = graph.record
    counts = {n: getattr(record, n) for n in ("entities", "relations", "train", "valid", "test")}
    return {"folder": str(graph.folder), "partitions": graph.layout.partitions, **counts}
