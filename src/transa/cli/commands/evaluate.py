"""`transa evaluate`: how well a model ranks what it has not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

from transa.cli.output import print_json, results
from transa.cli.parameters import Folder, Json, option
from transa.cli.progress import ranking_progress

if TYPE_CHECKING:
    from transa.ranking import Ties


def evaluate(
    folder: Folder,
    split: Annotated[str, option("Which triples.", "train|valid|test")] = "test",
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
    threads: Annotated[int, option("0 is all cores.")] = 0,
    json: Json = False,
) -> None:
    """Rank the true entities of a split among all: mean rank, MRR and hits at 1, 3 and 10."""
    import transa
    from transa.ranking import relation_table

    model = transa.load(folder)
    with ranking_progress(hidden=json) as progress:
        found = model.evaluate(split, ties=cast("Ties", ties), threads=threads, progress=progress)
    if json:
        print_json(found.to_dict())
    else:
        results().print(found)
        if relations:
            results().print(relation_table(found))
