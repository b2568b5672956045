"""Answers as a table: to print, to loop over, to hand on as a frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, overload

import polars as pl

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Group

_SCHEMA = {
    "rank": pl.Int32,
    "label": pl.String,
    "name": pl.String,
    "score": pl.Float32,
    "known": pl.String,
}


@dataclass(frozen=True)
class Prediction:
    """One answer.

    Attributes:
        rank: 1 is the most plausible.
        label: of the entity or relation, as in the graph.
        name: what a person calls it; the label where there is no name.
        score: minus the energy, or minus the distance; higher is more plausible.
        known: the split that has the triple already ('train', 'valid' or 'test'), or None.
    """

    rank: int
    label: str
    name: str
    score: float
    known: str | None = None


@dataclass(frozen=True, repr=False)
class Predictions(Sequence[Prediction]):
    """The best answers to a question, best first.

    Example:
        >>> answers = Predictions("France · borders · ?", (Prediction(1, "ES", "Spain", -0.5),))
        >>> answers[0].name
        'Spain'
        >>> answers.to_dicts()
        [{'rank': 1, 'label': 'ES', 'name': 'Spain', 'score': -0.5, 'known': None}]
    """

    question: str
    rows: tuple[Prediction, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Prediction]:
        return iter(self.rows)

    @overload
    def __getitem__(self, index: int) -> Prediction: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Prediction, ...]: ...

    def __getitem__(self, index: int | slice) -> Prediction | tuple[Prediction, ...]:
        return self.rows[index]

    def to_dicts(self) -> list[dict[str, Any]]:
        """One plain dictionary an answer."""
        return [asdict(row) for row in self.rows]

    def to_polars(self) -> pl.DataFrame:
        """A Polars frame, one row an answer."""
        return pl.DataFrame(self.to_dicts(), schema=_SCHEMA)

    def to_pandas(self) -> pd.DataFrame:
        """A pandas frame; needs the extra `pandas`."""
        return self.to_polars().to_pandas()

    def __rich__(self) -> Group:
        from rich import box
        from rich.console import Group
        from rich.markup import escape
        from rich.table import Table
        from rich.text import Text

        table = Table(box=box.SIMPLE_HEAD)
        labelled = any(row.label != row.name for row in self.rows)
        flagged = any(row.known for row in self.rows)
        table.add_column("", justify="right", style="dim")
        table.add_column("answer", style="bold", overflow="fold")
        if labelled:
            table.add_column("label", style="dim", overflow="fold")
        table.add_column("score", justify="right")
        if flagged:
            table.add_column("known", style="green")
        for row in self.rows:
            cells = [str(row.rank), row.name]
            cells += [row.label] if labelled else []
            cells += [f"{row.score:.3f}"]
            cells += [row.known or ""] if flagged else []
            # A label may hold brackets, which Rich would take for a style.
            table.add_row(*map(escape, cells))
        # Above the table, not as its title, which would be wrapped to the table's width.
        return Group(Text(self.question, style="bold"), table)

    def __str__(self) -> str:
        from transa.tables import as_text

        return as_text(self)

    __repr__ = __str__
