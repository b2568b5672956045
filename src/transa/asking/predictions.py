"""Answers as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from transa.tables import Rows

if TYPE_CHECKING:
    from rich.console import Group


@dataclass(frozen=True)
class Prediction:
    """One answer.

    Attributes:
        rank: 1 is the most plausible.
        label: of the entity or relation, as in the graph.
        name: what a person calls it; the label where there is no name.
        score: minus the energy, or minus the distance; higher is more plausible.
        known: the split that has the triple already ('train', 'valid' or 'test'), or None.
        probability: that it is true, see `transa.asking.probability`; None for what is known, and
            where the model has no probabilities.
    """

    rank: int
    label: str
    name: str
    score: float
    known: str | None = None
    probability: float | None = None


@dataclass(frozen=True, repr=False)
class Predictions(Rows[Prediction]):
    """The best answers to a question, best first.

    Example:
        >>> answers = Predictions("France · borders · ?", (Prediction(1, "ES", "Spain", -0.5),))
        >>> answers[0].name
        'Spain'
        >>> answers.to_dicts()[0]["score"]
        -0.5
    """

    schema: ClassVar = {
        "rank": pl.Int32,
        "label": pl.String,
        "name": pl.String,
        "score": pl.Float32,
        "known": pl.String,
        "probability": pl.Float64,
    }
    question: str
    rows: tuple[Prediction, ...]

    def __rich__(self) -> Group:
        from rich.console import Group
        from rich.markup import escape
        from rich.text import Text

        from transa.printing import Table

        table = Table()
        labelled = any(row.label != row.name for row in self.rows)
        flagged = any(row.known for row in self.rows)
        weighed = any(row.probability is not None for row in self.rows)
        table.numbers("", style="dim")
        table.words("answer", style="bold")
        if labelled:
            table.words("label", style="dim")
        if weighed:
            table.numbers("probability")
        table.numbers("score")
        if flagged:
            table.add_column("known", style="green")
        for row in self.rows:
            cells = [str(row.rank), row.name]
            cells += [row.label] if labelled else []
            if weighed:
                cells += ["" if row.probability is None else f"{row.probability:.3f}"]
            cells += [f"{row.score:.3f}"]
            cells += [row.known or ""] if flagged else []
            # A label may hold brackets, which Rich would take for a style.
            table.add_row(*map(escape, cells))
        # Above the table, not as its title, which would be wrapped to the table's width.
        return Group(Text(self.question, style="bold"), table)
