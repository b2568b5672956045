"""What a person calls the things that a data set labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from transa.graph.readers.content import load
from transa.graph.readers.delimited import parse
from transa.graph.readers.dialect import only_tabs


def names_of(
    labels: pl.Series, path: Path | None, told: Sequence[pl.DataFrame | None] = ()
) -> pl.Series | None:
    """A name or null for each label: from a file of ``label<TAB>name`` lines, else as was told."""
    if path is None:
        frames = [frame for frame in told if frame is not None]
        return _looked_up(labels, pl.concat(frames)) if frames else None
    rows = parse(load(path), only_tabs("label", "name"), str(path)).cast(pl.String)
    return _looked_up(labels, rows)


def _looked_up(labels: pl.Series, rows: pl.DataFrame) -> pl.Series | None:
    names = rows.unique("label", keep="first", maintain_order=True)
    found = labels.to_frame("label").join(names, on="label", how="left", maintain_order="left")
    return found["name"]
