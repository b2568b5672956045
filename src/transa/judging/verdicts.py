"""Judgements of triples as a table: to print, to loop over, to hand on as a frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, overload

import polars as pl

from transa.tables import as_text

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

_SCHEMA = {
    "head": pl.String,
    "relation": pl.String,
    "tail": pl.String,
    "verdict": pl.Boolean,
    "probability": pl.Float64,
    "energy": pl.Float64,
    "threshold": pl.Float64,
    "reason": pl.String,
}


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
        threshold: the relation's.
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
class Verdicts(Sequence[Verdict]):
    """Verdicts in the order of the triples.

    Example:
        >>> said = Verdicts((Verdict("Spain", "borders", "Peru", False, 0.1, 9.0, 4.0, "..."),))
        >>> [row.verdict for row in said]
        [False]
    """

    rows: tuple[Verdict, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.rows)

    @overload
    def __getitem__(self, index: int) -> Verdict: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Verdict, ...]: ...

    def __getitem__(self, index: int | slice) -> Verdict | tuple[Verdict, ...]:
        return self.rows[index]

    def to_dicts(self) -> list[dict[str, Any]]:
        """One plain dictionary a triple."""
        return [asdict(row) for row in self.rows]

    def to_polars(self) -> pl.DataFrame:
        """A Polars frame, one row a triple."""
        return pl.DataFrame(self.to_dicts(), schema=_SCHEMA)

    def to_pandas(self) -> pd.DataFrame:
        """A pandas frame; needs the extra `pandas`."""
        return self.to_polars().to_pandas()

    def __rich__(self) -> Table:
        from rich import box
        from rich.table import Table
        from rich.text import Text

        table = Table(box=box.SIMPLE_HEAD)
        for column in ("head", "relation", "tail"):
            table.add_column(column, overflow="fold")
        table.add_column("verdict")
        table.add_column("probability", justify="right")
        table.add_column("reason", overflow="fold", style="dim")
        for row in self.rows:
            word, style = _SHOWN[row.verdict]
            probability = "" if row.probability is None else f"{row.probability:.3f}"
            # As text, not markup: a label may have square brackets.
            labels = (Text(label) for label in (row.head, row.relation, row.tail))
            table.add_row(*labels, Text(word, style), probability, Text(row.reason))
        return table

    def __str__(self) -> str:
        return as_text(self)

    __repr__ = __str__


_SHOWN = {True: ("true", "green"), False: ("false", "red"), None: ("unknown", "yellow")}
