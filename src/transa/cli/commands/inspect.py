"""`transa inspect`: a look at a graph before training."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from transa.cli.output import print_json, results, say
from transa.cli.parameters import Json, option
from transa.cli.triple_files import graph_of, of_a_graph


@of_a_graph
def inspect(
    given: Mapping[str, Any],
    hubs: Annotated[int, option("How many hubs to name.")] = 5,
    relations: Annotated[
        bool, option("Also the twenty commonest relations, one by one.", name="--relations")
    ] = False,
    seed: Annotated[int, option("What a single file is split with.")] = 0,
    figure: Annotated[Path | None, option("Draw it: a .png, .svg or .pdf file.")] = None,
    json: Json = False,
) -> None:
    """Look at a graph: sizes, kinds of relations, hubs, and what train gives away of test."""
    from transa.inspection import inspect as look_at
    from transa.inspection.report import relations_table

    # What train would refuse is something to be told of here.
    of_named = {} if given["unseen"] or _is_named(given["source"]) else {"unseen": "keep"}
    graph = graph_of({**given, **of_named}, seed)
    found = look_at(graph, hubs=hubs)
    if figure:
        from transa.figures.graphs import draw_inspection

        draw_inspection(figure, graph, found)
    if json:
        print_json(found.to_dict())
    else:
        results().print(found)
        if relations:
            results().print(relations_table(found))
    if figure:
        say(f"figure: {figure}")


def _is_named(source: str) -> bool:
    from transa.datasets import available

    return source in {entry.name for entry in available()}
