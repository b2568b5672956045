"""`transa update`: new facts for a trained model."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

from transa.cli import triple_files as t
from transa.cli.output import print_json, say
from transa.cli.parameters import Folder, Json, argument, option
from transa.errors import StoreError


def update(
    folder: Folder,
    file: Annotated[Path, argument("New facts: true triples.", "FILE")],
    out: Annotated[
        Path | None, option("Leave DIR as it is, and put the model here.", "FOLDER")
    ] = None,
    format: t.Format = None,  # noqa: A002 (the option is called so)
    delimiter: t.Delimiter = None,
    header: t.Header = None,
    columns: t.Columns = None,
    quote: t.Quote = None,
    json: Json = False,
) -> None:
    """Learn new facts, new entities and new relations without training anew.

    The model in DIR is replaced when the new one is complete, or stays if --out names another
    place.
    """
    import transa
    from transa.storage.places import check_free

    rows = t.read_triples(file, format, delimiter, header, columns, quote)
    if out is not None:
        check_free(out)
        if out.exists() and any(out.iterdir()):
            raise StoreError(f"{out} holds a model; choose another folder for --out")
    began = time.monotonic()
    model = transa.load(folder)
    before, had_thresholds = model.graph_, model.learnt_.classifier is not None
    model.partial_fit(rows)
    model.save(out or folder)
    after = model.graph_
    facts = len(after.train) - len(before.train)
    told: dict[str, Any] = {
        "folder": str(out or folder),
        "facts": facts,
        "entities": after.n_entities - before.n_entities,
        "relations": after.n_relations - before.n_relations,
        "left_out": len(rows) - facts,
        "seconds": round(time.monotonic() - began, 1),
    }
    if json:
        print_json(told)
        return
    say(_in_words(told))
    if had_thresholds and model.learnt_.classifier is None:
        say("the thresholds are gone, since a relation is new: transa classify fits them anew")


def _in_words(told: dict[str, Any]) -> str:
    new = ", ".join(
        f"{told[what]:,} new {what}" for what in ("entities", "relations") if told[what]
    )
    left_out = told["left_out"]
    remark = f"; {left_out:,} were known already or told twice" if left_out else ""
    return (
        f"{told['facts']:,} new facts{f' with {new}' if new else ''} learnt in "
        f"{told['seconds']} s{remark}: {told['folder']}"
    )
