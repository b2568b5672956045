"""`transa discover`: facts that the graph does not have, the most plausible first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from transa.cli.output import print_json, results, say
from transa.cli.parameters import Folder, Json, option
from transa.cli.progress import ranking_progress
from transa.errors import one_of

if TYPE_CHECKING:
    from transa.asking.bulk.tables import Format
    from transa.asking.discovery.table import Discoveries
    from transa.asking.discovery.types import Types

# What a terminal shows of a long list.
_SHOWN = 20


def discover(
    folder: Folder,
    relation: Annotated[
        list[str] | None, option("Only of this relation; may be given again.")
    ] = None,
    top: Annotated[int, option("How many facts.")] = 1000,
    min_probability: Annotated[float | None, option("The least probability.")] = None,
    per_head: Annotated[int, option("At most so many of one head.")] = 10,
    per_tail: Annotated[int, option("At most so many of one tail, among those.")] = 10,
    per_relation: Annotated[
        int | None, option("At most so many of one relation, among those.")
    ] = None,
    types: Annotated[
        str, option("Who may stand in a place of a relation.", "seen|alike|any")
    ] = "seen",
    out: Annotated[
        Path | None,
        option("Write all of them: a .tsv, .csv, .parquet, .jsonl, .ttl or .nt file.", "FILE"),
    ] = None,
    to: Annotated[
        str | None, option("Its format, else by its name.", "tsv|csv|parquet|jsonl|ttl|nt")
    ] = None,
    threads: Annotated[int, option("0 is all cores.")] = 0,
    json: Json = False,
) -> None:
    """Find the most plausible facts that the graph does not have, among all its entities.

    Exact, in bounded memory; Ctrl-C stops it, and what was found so far is told.
    """
    import transa
    from transa.asking.bulk.tables import FORMATS, format_of
    from transa.storage.export import write_table
    from transa.training.interrupt import Interrupt

    one_of("--to", to, (None, *FORMATS))
    form = format_of(out) if out is not None and to is None else cast("Format", to)
    model = transa.load(folder)
    with Interrupt() as interrupt, ranking_progress(hidden=json, what="pairs") as progress:
        found = model.discover(
            relation,
            top=top,
            min_probability=min_probability,
            per_head=per_head,
            per_tail=per_tail,
            per_relation=per_relation,
            types=cast("Types", types),
            threads=threads,
            estimate=_tell_estimate,
            progress=progress,
            stop=lambda: interrupt.requested,
        )
    if not found.complete:
        say(f"stopped: these are the best of the first {found.pairs:,} pairs, not of all")
    if out is not None:
        write_table(found.to_polars(), out, form)
        say(f"{len(found):,} facts: {out}")
    if json:
        print_json({"complete": found.complete, "pairs": found.pairs, "facts": found.to_dicts()})
    elif out is None:
        _show(found)
    if not found.complete:
        raise typer.Exit(128 + Interrupt.last)


def _tell_estimate(pairs: int, seconds: float) -> None:
    minutes, rest = divmod(round(seconds), 60)
    say(f"{pairs:,} pairs of head and tail to look at: about {minutes}:{rest:02d}")


def _show(found: Discoveries) -> None:
    if len(found) == 0:
        say("nothing new is so plausible; a lower --min-probability or --types any finds more")
        return
    results().print(replace(found, rows=found.rows[:_SHOWN]))
    if len(found) > _SHOWN:
        say(f"the best {_SHOWN} of {len(found):,}; --out FILE or --json has them all")
