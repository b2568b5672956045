"""`transa similar`: entities that lie close together."""

from __future__ import annotations

from typing import Annotated

from transa.cli.output import print_json, results
from transa.cli.parameters import Count, Folder, Json, UseIndex, argument


def similar(
    folder: Folder,
    entity: Annotated[str, argument("An entity, by label or name.", "NAME")],
    k: Count = 10,
    index: UseIndex = False,
    json: Json = False,
) -> None:
    """Find the entities whose vectors are nearest to one."""
    import transa

    found = transa.load(folder, index=index).similar(entity, k, exact=not index)
    if json:
        print_json({"question": found.question, "similar": found.to_dicts()})
    else:
        results().print(found)
