"""`transa fold-in`: new entities for a trained model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from transa.cli import triple_files as t
from transa.cli.output import print_json, say
from transa.cli.parameters import Folder, Json, Overwrite, argument, option


def fold_in(
    folder: Folder,
    file: Annotated[Path, argument("True triples of the new entities.", "FILE")],
    out: Annotated[Path, typer.Option(help="The folder of the larger model.", show_default=False)],
    seed: Annotated[int, option("Of the corruptions drawn.")] = 0,
    format: t.Format = None,  # noqa: A002 (the option is called so)
    delimiter: t.Delimiter = None,
    header: t.Header = None,
    columns: t.Columns = None,
    quote: t.Quote = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Add entities to a model without training it again: only their vectors are fitted."""
    import transa
    from transa.storage.places import check_free

    check_free(out, overwrite=overwrite)
    rows = t.read_triples(file, format, delimiter, header, columns, quote)
    model = transa.load(folder)
    larger = model.fold_in(rows, seed=seed)
    larger.save(out)
    entities = int(larger.graph_.seen.sum() - model.graph_.seen.sum())
    triples = len(larger.graph_.train) - len(model.graph_.train)
    left_out = len(rows) - triples
    if json:
        told = {"folder": str(out), "entities": entities, "triples": triples}
        print_json({**told, "left_out": left_out})
        return
    remark = f"; {left_out:,} triples have no new entity and were left out" if left_out else ""
    say(f"{entities:,} entities added, from {triples:,} triples{remark}: {out}")
