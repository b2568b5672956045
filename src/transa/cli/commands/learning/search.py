"""`transa search`: which model for this graph, and how trained."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from transa.cli.output import print_json, print_next, results, say
from transa.cli.parameters import Json, option
from transa.cli.triple_files import graph_of, of_a_graph

if TYPE_CHECKING:
    from transa.searching import SearchResult
    from transa.searching.record import Tried


@of_a_graph
def search(
    given: Mapping[str, Any],
    minutes: Annotated[float, option("What it may take, all calls for this folder together.")] = 30,
    out: Annotated[
        Path | None, option("Folder; else runs/GRAPH-search. One that was begun goes on.", "DIR")
    ] = None,
    trials: Annotated[
        int | None, option("At most so many, of all calls; else as many as there is time for.")
    ] = None,
    models: Annotated[
        str | None, option("The candidates; else six with settings by size.", "NAME,NAME")
    ] = None,
    parallel: Annotated[int, option("Trials at a time.")] = 1,
    threads: Annotated[int, option("Of all trials together; 0 is all cores.")] = 0,
    seed: Annotated[int, option("Of the trials, what they try, and a single file's split.")] = 0,
    quiet: Annotated[bool, option("Say nothing but the result.", name="--quiet")] = False,
    json: Json = False,
) -> None:
    """Compare models on a graph, then search the settings of the best ones.

    Leaves the best model, its settings as config.yaml, and all trials as search.json. A search that
    was stopped or killed goes on when it is called again. Needs the extra `search`.
    """
    from transa import searching
    from transa.prepared.record import is_prepared

    # The library opens it, and says what it can't do with it.
    graph = given["source"] if is_prepared(given["source"]) else graph_of(given, seed)
    found = searching.search(
        graph,
        out,
        minutes=minutes,
        trials=trials,
        models=None if models is None else [name.strip() for name in models.split(",")],
        parallel=parallel,
        threads=threads,
        seed=seed,
        report=None if quiet else _tell,
    )
    if json:
        print_json(found.to_dict())
    else:
        results().print(found)
        _tell_what_next(given["source"], found)
    if found.stopped:
        from transa.training.interrupt import Interrupt

        raise typer.Exit(128 + Interrupt.last)


def _tell(tried: Tried) -> None:
    from transa.searching.result import in_words

    value = "no look at validation" if tried.mrr is None else f"MRR {tried.mrr:.3f}"
    how = in_words(tried.chosen) or "defaults"
    ended = "" if tried.ended == "finished" else f", {tried.ended}"
    why = f" ({tried.why})" if tried.why else ""
    say(f"{tried.model}: {value} in {tried.seconds:.1f} s{ended}{why}; {how}")


def _tell_what_next(source: str, found: SearchResult) -> None:
    if found.stopped:
        say(f"stopped; the best so far is in {found.model}; the same command goes on")
        return
    say(f"the winner is in {found.model}, its settings in {found.config}")
    print_next(
        ("transa", "evaluate", str(found.model)),
        ("transa", "train", str(source), "--config", str(found.config)),
    )
