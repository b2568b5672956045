"""What was found, as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from transa.tables import Rows

if TYPE_CHECKING:
    from transa.printing import Table


@dataclass(frozen=True)
class Discovery:
    """A fact that the graph does not have, and how plausible it is.

    Attributes:
        rank: 1 is the most plausible.
        head: label.
        relation: label.
        tail: label.
        head_name: what a person calls it; the label where there is no name.
        relation_name: the same of the relation.
        tail_name: the same of the tail.
        score: minus the energy.
        probability: that it is true; None where the model has no calibration.
        standing: what the list is ordered by where there are no probabilities; see
            `transa.asking.discovery.order`.
    """

    rank: int
    head: str
    relation: str
    tail: str
    head_name: str
    relation_name: str
    tail_name: str
    score: float
    probability: float | None
    standing: float | None


@dataclass(frozen=True, repr=False)
class Discoveries(Rows[Discovery]):
    """New facts, the most plausible first.

    Attributes:
        rows: the facts.
        pairs: of head and tail that were looked at, relation by relation.
        complete: whether all that were to be looked at were; else these are the best so far.
    """

    schema: ClassVar = {
        "rank": pl.Int32,
        "head": pl.String,
        "relation": pl.String,
        "tail": pl.String,
        "head_name": pl.String,
        "relation_name": pl.String,
        "tail_name": pl.String,
        "score": pl.Float32,
        "probability": pl.Float64,
        "standing": pl.Float64,
    }
    rows: tuple[Discovery, ...]
    pairs: int
    complete: bool = True

    def __rich__(self) -> Table:
        from rich.text import Text

        from transa.printing import Table

        table = Table()
        by = "standing" if any(row.probability is None for row in self.rows) else "probability"
        table.numbers("")
        for column in ("head", "relation", "tail"):
            table.words(column)
        table.numbers(by)
        for row in self.rows:
            value = row.standing if row.probability is None else row.probability
            cells = (str(row.rank), row.head_name, row.relation_name, row.tail_name, f"{value:.3f}")
            # As text, not markup: a label may have square brackets.
            table.add_row(*map(Text, cells))
        return table
