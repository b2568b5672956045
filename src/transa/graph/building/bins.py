"""Values in bins of equal weight: a number or a date becomes a thing that facts can share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from transa.graph.readers.table import Table, label_type

_LAST_PART = re.compile(r"[^#/:]+(?=[#/:]*$)")


def in_bins(tables: Mapping[str, Table], bins: int) -> tuple[dict[str, Table], pl.DataFrame | None]:
    """The tables with a bin for each value, and the bins' names; None if there are no values.

    Each relation has bins of its own, which hold about as many of train's values each. They are
    bounded by values that occur, so that equal ones share a bin; the outermost also take what lies
    beyond them in other splits.
    """
    values = {split: _values(table) for split, table in tables.items() if table.values is not None}
    if not any(map(len, values.values())):
        return dict(tables), None
    train = values["train"]
    # What train has no values of is bounded by those there are.
    rest = [each.join(train, on="relation", how="anti") for each in values.values()]
    made = {
        relation: _Bins.of(str(relation), rows, bins)
        for (relation,), rows in pl.concat([train, *rest]).group_by("relation")
    }
    done = {
        split: replace(tables[split], frame=_put(tables[split].frame, rows, made))
        for split, rows in values.items()
    }
    names = {label: name for each in made.values() for label, name in each.names.items()}
    return {**tables, **done}, pl.DataFrame({"label": list(names), "name": list(names.values())})


@dataclass(frozen=True)
class _Bins:
    """The bins of one relation.

    Attributes:
        inner: Where all but the first begin.
        labels: Of each.
        names: What a person calls them.
    """

    inner: NDArray[np.float64]
    labels: list[str]
    names: dict[str, str]

    @classmethod
    def of(cls, relation: str, rows: pl.DataFrame, bins: int) -> _Bins:
        ordered = rows.sort("value", "text")
        values, texts = ordered["value"].to_numpy(), ordered["text"]
        starts = np.unique(values[len(values) * np.arange(bins) // bins])
        first = np.searchsorted(values, starts)
        # Up to the last value before the next bin begins.
        last = np.append(first[1:], len(values)) - 1
        ends = list(zip(texts.gather(first), texts.gather(last), strict=True))
        labels = [f"{relation}={low}..{high}" for low, high in ends]
        found = _LAST_PART.search(relation)
        short = found.group() if found else relation
        spoken = [low if low == high else f"{low} to {high}" for low, high in ends]
        names = {label: f"{short} {words}" for label, words in zip(labels, spoken, strict=True)}
        return cls(starts[1:], labels, names)

    def label(self, values: NDArray[np.float64]) -> list[str]:
        """The bin of each value."""
        return [self.labels[place] for place in np.searchsorted(self.inner, values, side="right")]


def _values(table: Table) -> pl.DataFrame:
    """The values with their relations."""
    assert table.values is not None  # noqa: S101 (narrows the type)
    relations = table.frame["relation"].gather(table.values["row"]).cast(pl.String)
    return table.values.with_columns(relations.alias("relation"))


def _put(frame: pl.DataFrame, rows: pl.DataFrame, bins: Mapping[object, _Bins]) -> pl.DataFrame:
    """A bin in the place of each value."""
    by_relation = [
        pl.DataFrame({"row": each["row"], "bin": bins[relation].label(each["value"].to_numpy())})
        for (relation,), each in rows.group_by("relation")
    ]
    if not by_relation:
        return frame
    placed = pl.concat(by_relation)
    tails = frame["tail"].cast(pl.String).scatter(placed["row"], placed["bin"])
    return frame.with_columns(tails.cast(label_type()).alias("tail"))
