"""What a person calls the things that a data set labels."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from transa.graph.readers.content import load
from transa.graph.readers.delimited import parse
from transa.graph.readers.dialect import only_tabs


def names_of(labels: pl.Series, path: Path | None) -> pl.Series | None:
    """A name or null for each label, from a file of ``label<TAB>name`` lines."""
    if path is None:
        return None
    rows = parse(load(path), only_tabs("label", "name"), str(path)).cast(pl.String)
    names = rows.unique("label", keep="first")
    found = labels.to_frame("label").join(names, on="label", how="left", maintain_order="left")
    return found["name"]
