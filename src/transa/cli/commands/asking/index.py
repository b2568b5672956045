"""`transa index`: neighbours found without a look at every entity."""

from __future__ import annotations

from transa.cli.output import notes, print_json, say
from transa.cli.parameters import Folder, Json


def index(folder: Folder, json: Json = False) -> None:
    """Make an index of neighbours and keep it in the model folder.

    For large vocabularies: of a million entities it takes minutes to make. `similar --index` uses
    it, and models that are loaded with it.
    """
    import transa

    model = transa.load(folder)
    with notes().status(f"linking {model.graph_.n_entities:,} entities"):
        model.build_index()
    model.save(folder)
    if json:
        print_json({"folder": str(folder), "entities": model.graph_.n_entities})
    else:
        say(f"index of {model.graph_.n_entities:,} entities: kept in {folder}")
