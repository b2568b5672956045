"""`transa export`: vectors for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from transa.cli.output import print_json, say
from transa.cli.parameters import Folder, Json, option

if TYPE_CHECKING:
    from transa.storage.export import Format


def export(
    folder: Folder,
    out: Annotated[Path, typer.Option(help="The file to write.", show_default=False)],
    to: Annotated[str, option("Its format.", "tsv|parquet|word2vec")] = "tsv",
    table: Annotated[str, option("Which vectors.", "entity|relation|...")] = "entity",
    json: Json = False,
) -> None:
    """Write the vectors of a model as TSV, Parquet or word2vec text."""
    from transa.storage import folder as store
    from transa.storage.export import export_vectors

    model = store.load(folder).model
    export_vectors(model, out, cast("Format", to), table)
    exported = model.tables[table]
    rows, dim = len(exported), exported[0].size
    if json:
        print_json({"file": str(out), "format": to, "table": table, "rows": rows, "dim": dim})
    else:
        say(f"{rows:,} {table} vectors of {dim} dimensions: {out}")
