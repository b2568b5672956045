"""`transa evaluate`: how well a model ranks what it has not seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

from transa.cli import triple_files as t
from transa.cli.output import plain_table, print_json, print_title, results
from transa.cli.parameters import Folder, Json, option
from transa.cli.progress import ranking_progress
from transa.errors import ConfigError

if TYPE_CHECKING:
    from transa.asking.probability.curves import Place, Reliability
    from transa.graph.candidates import Protocol
    from transa.ranking import Ties


def evaluate(
    folder: Folder,
    split: Annotated[
        str | None, option("Which triples, if no file is given; else test.", "train|valid|test")
    ] = None,
    file: Annotated[
        Path | None, option("Rank the triples of your own file instead of a split.", "TRIPLES")
    ] = None,
    protocol: Annotated[
        str,
        option(
            "Who the candidates are: every entity, as in papers, or those that predict offers.",
            "published|offered",
        ),
    ] = "published",
    ties: Annotated[
        str,
        option(
            "Where the true entity stands among those of the same energy.",
            "realistic|optimistic|pessimistic",
        ),
    ] = "realistic",
    relations: Annotated[
        bool, option("Also the twenty commonest relations, one by one.", name="--relations")
    ] = False,
    probabilities: Annotated[
        bool,
        option("Also how the probabilities of answers bear out.", name="--probabilities"),
    ] = False,
    threads: Annotated[int, option("0 is all cores.")] = 0,
    cluster: Annotated[
        str | None, option("Rank on a cluster of Ray's.", "HOST:PORT|ray://HOST:PORT|auto|local")
    ] = None,
    format: t.Format = None,  # noqa: A002 (the option is called so)
    delimiter: t.Delimiter = None,
    header: t.Header = None,
    columns: t.Columns = None,
    quote: t.Quote = None,
    json: Json = False,
) -> None:
    """Rank the true entities of a split among all: mean rank, MRR and hits at 1, 3 and 10.

    A triple that the graph has, or the file, is never counted against another.
    """
    if file is not None and (split is not None or probabilities):
        raise ConfigError("a file is ranked by itself: give no --split and no --probabilities")
    import transa
    from transa.ranking import relation_table

    table = None if file is None else t.read_file(file, format, delimiter, header, columns, quote)
    model = transa.load(folder)
    with ranking_progress(hidden=json) as progress:
        found = model.evaluate(
            split or "test",
            triples=table,
            protocol=cast("Protocol", protocol),
            ties=cast("Ties", ties),
            threads=threads,
            progress=progress,
            cluster=cluster,
        )
    borne_out = model.evaluate_probabilities(split or "test") if probabilities else None
    if json:
        print_json({**found.to_dict(), **_plain(borne_out)})
        return
    results().print(found)
    if relations:
        results().print(relation_table(found))
    if borne_out is not None:
        _print(borne_out)


def _plain(borne_out: dict[Place, Reliability] | None) -> dict[str, object]:
    from dataclasses import asdict

    if borne_out is None:
        return {}
    return {"probabilities": {place: asdict(found) for place, found in borne_out.items()}}


def _print(borne_out: dict[Place, Reliability]) -> None:
    for place, found in borne_out.items():
        print_title(
            f"Probabilities of {place}s: {found.questions:,} questions, error {found.error:.3f}, "
            f"of first answers {found.error_of_first:.3f}"
        )
        table = plain_table("answers", "mean probability", "share in the split")
        for each in found.bins:
            table.add_row(f"{each.count:,}", f"{each.predicted:.3f}", f"{each.observed:.3f}")
        results().print(table)
