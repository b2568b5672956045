"""Reasons as a table, and as sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import polars as pl

from transa.tables import Rows

if TYPE_CHECKING:
    from rich.console import Group

Kind: TypeAlias = Literal[
    "known", "relation", "inverse", "path", "similar heads", "similar tails",
    "unseen", "loop", "domain", "range", "taken", "rank", "improbable",
]  # fmt: skip
"""What a reason rests on; from 'unseen' on they only speak against an answer."""

Fact: TypeAlias = tuple[str, str, str]
"""A known triple of labels."""


@dataclass(frozen=True)
class Reason:
    """One thing that speaks for or against an answer.

    Attributes:
        speaks: 'for' or 'against'.
        kind: what it rests on.
        text: the whole of it in a sentence.
        support: in how many of the cases looked at it was so; None where nothing was counted.
        cases: how many were looked at: all there are, or a sample where `exact` says no.
        exact: whether all cases were looked at.
        facts: known triples (labels) that it names.
    """

    speaks: Literal["for", "against"]
    kind: Kind
    text: str
    support: int | None = None
    cases: int | None = None
    exact: bool = True
    facts: tuple[Fact, ...] = ()

    @property
    def confidence(self) -> float | None:
        """The share of the cases in which it was so."""
        return None if self.support is None or not self.cases else self.support / self.cases


@dataclass(frozen=True, repr=False)
class Reasons(Rows[Reason]):
    """What speaks for an answer, best first, and then what speaks against it.

    Attributes:
        question: the triple that is asked about, in words.
        score: minus its energy.
        rank: of the tail among the answers to (head, relation, ?); None if the graph has it.
        probability: as `predict_tails` tells it; None if the graph has the triple, or the model
            cannot tell.
        known: the split that has the triple already, or None.
        rows: the reasons.

    Example:
        >>> borders = Reason("for", "inverse", "Spain · borders · France is known.", 9, 10)
        >>> said = Reasons("France · borders · Spain", -0.5, 1, None, None, (borders,))
        >>> said.speaking("for")[0].confidence
        0.9
        >>> said.sentence
        'France · borders · Spain: Spain · borders · France is known.'
    """

    schema: ClassVar = {
        "speaks": pl.String,
        "kind": pl.String,
        "text": pl.String,
        "support": pl.Int64,
        "cases": pl.Int64,
        "exact": pl.Boolean,
        "facts": pl.List(pl.List(pl.String)),
    }
    question: str
    score: float
    rank: int | None
    probability: float | None
    known: str | None
    rows: tuple[Reason, ...]

    def speaking(self, side: Literal["for", "against"]) -> tuple[Reason, ...]:
        """The reasons of one side."""
        return tuple(row for row in self.rows if row.speaks == side)

    @property
    def sentence(self) -> str:
        """The best reason of each side, for who has room for a line."""
        first = [row[0].text for row in (self.speaking("for"), self.speaking("against")) if row]
        return f"{self.question}: {' But: '.join(first) or 'nothing is known either way.'}"

    def __rich__(self) -> Group:
        from rich.console import Group
        from rich.padding import Padding
        from rich.text import Text

        lines: list[Text | Padding] = [Text(self.question, "bold"), Text(self._standing, "dim")]
        for side, style in (("for", "green"), ("against", "red")):
            rows = self.speaking(side)  # type: ignore[arg-type]
            heading = f"What speaks {side} it" if rows else f"Nothing known speaks {side} it"
            lines += [Text(f"\n{heading}", style if rows else "dim")]
            # As text, not markup: a label may have square brackets.
            lines += [Padding(Text(f"- {row.text}"), (0, 0, 0, 2)) for row in rows]
        return Group(*lines)

    @property
    def _standing(self) -> str:
        parts = [f"score {self.score:.3f}"]
        if self.rank is not None:
            parts.append(f"rank {self.rank:,} among the tails that are not known")
        if self.probability is not None:
            parts.append(f"probability {self.probability:.3f}")
        if self.known is not None:
            parts.append(f"the graph has it ({self.known})")
        return "; ".join(parts)
