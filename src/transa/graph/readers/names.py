"""What a person calls the things that a data set labels."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from transa.graph.readers.content import load
from transa.graph.readers.delimited import parse
from transa.graph.readers.dialect import Dialect

_DIALECT = Dialect(
    delimiter="\t",
    quoted=False,
    header=False,
    width=2,
    roles=("label", "name"),
    positions=(0, 1),
)


def names_of(labels: pl.Series, path: Path | None) -> pl.Series | None:
    """A name or null for each label, from a file of ``label<TAB>name`` lines."""
    if path is None:
        return None
    names = parse(load(path), _DIALECT, str(path)).cast(pl.String).unique("label", keep="first")
    found = labels.to_frame("label").join(names, on="label", how="left", maintain_order="left")
    return found["name"]
