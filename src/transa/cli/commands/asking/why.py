"""`transa why`: what speaks for an answer, and what against it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from transa.cli.output import print_json, results
from transa.cli.parameters import Folder, Json, argument, option


def why(
    folder: Folder,
    head: Annotated[str, argument("An entity, by label or name.", "HEAD")],
    relation: Annotated[str, argument("A relation, by label or name.", "RELATION")],
    tail: Annotated[str, argument("An entity, by label or name.", "TAIL")],
    k: Annotated[int, option("How many reasons, for it and against it.", name="-k")] = 5,
    json: Json = False,
) -> None:
    """Tell why a triple is plausible, or why not: the known facts that speak for and against it."""
    import transa

    found = transa.load(folder).reasons(head, relation, tail, k)
    if json:
        print_json({**asdict(found), "sentence": found.sentence})
    else:
        results().print(found)
