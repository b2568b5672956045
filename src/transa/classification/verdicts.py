"""Judgements of triples as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from transa.tables import Rows

if TYPE_CHECKING:
    from transa.printing import Table


@dataclass(frozen=True)
class Verdict:
    """What a model says of one triple. None stands for what it cannot say.

    Attributes:
        head: as asked.
        relation: as asked.
        tail: as asked.
        verdict: whether it is held true: whether its energy is below the threshold.
        probability: that it is true.
        energy: f_r(h, t); lower is more plausible.
        threshold: what the energy is held against: the relation's, moved where it is local.
        reason: the same in words, or why there is no answer.
    """

    head: str
    relation: str
    tail: str
    verdict: bool | None
    probability: float | None
    energy: float | None
    threshold: float | None
    reason: str


@dataclass(frozen=True, repr=False)
class Verdicts(Rows[Verdict]):
    """Verdicts in the order of the triples.

    Example:
        >>> said = Verdicts((Verdict("Spain", "borders", "Peru", False, 0.1, 9.0, 4.0, "..."),))
        >>> [row.verdict for row in said]
        [False]
    """

    schema: ClassVar = {
        "head": pl.String,
        "relation": pl.String,
        "tail": pl.String,
        "verdict": pl.Boolean,
        "probability": pl.Float64,
        "energy": pl.Float64,
        "threshold": pl.Float64,
        "reason": pl.String,
    }
    rows: tuple[Verdict, ...]

    def __rich__(self) -> Table:
        from rich.text import Text

        from transa.printing import Table

        table = Table()
        for column in ("head", "relation", "tail"):
            table.words(column)
        table.add_column("verdict", no_wrap=True)
        table.numbers("probability")
        table.words("reason", style="dim")
        for row in self.rows:
            word, style = _SHOWN[row.verdict]
            probability = "" if row.probability is None else f"{row.probability:.3f}"
            # As text, not markup: a label may have square brackets.
            labels = (Text(label) for label in (row.head, row.relation, row.tail))
            table.add_row(*labels, Text(word, style), probability, Text(row.reason))
        return table


_SHOWN = {True: ("true", "green"), False: ("false", "red"), None: ("unknown", "yellow")}
