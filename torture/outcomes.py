"""How a case ends, and how many ended so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import TypeAlias


class Ending(Enum):
    """What became of a case."""

    REFUSED = "refused"
    """It was not legal, and was told so in a sentence."""
    SURVIVED = "survived"
    """It was legal, and gave what it should."""
    LOST = "lost"
    """Something that had been saved is gone, or is not what it was."""
    CRASHED = "crashed"
    """Anything else: another error, a signal, silence, too much memory."""


@dataclass(frozen=True)
class Outcome:
    """The end of one case; `what` says more of a loss or a crash."""

    ending: Ending
    what: str = ""


@dataclass
class Outcomes:
    """The ends of many cases.

    Attributes:
        counts: How many ended how.
        found: What each loss or crash was, with the seed and the case that give it again.
        remark: Why there are fewer than there could be.
    """

    counts: Counter[Ending] = field(default_factory=Counter)
    found: list[str] = field(default_factory=list)
    remark: str = ""

    def add(self, outcome: Outcome, again: str) -> None:
        """Count one; `again` is how to have it once more."""
        self.counts[outcome.ending] += 1
        if outcome.ending in (Ending.LOST, Ending.CRASHED):
            self.found.append(f"{again}: {outcome.what}")

    def __add__(self, other: Outcomes) -> Outcomes:
        remark = self.remark or other.remark
        return Outcomes(self.counts + other.counts, self.found + other.found, remark)

    def row(self, name: str) -> str:
        """A row of the table that is printed at the end."""
        numbers = (self.counts.total(), *(self.counts[ending] for ending in Ending))
        cells = " | ".join(f"{number:>9,}" for number in numbers)
        return f"| {name:<9} | {cells} | {self.remark}"


HEADINGS = ("phase", "tried", *(ending.value for ending in Ending))
"""The columns of the table."""

Phase: TypeAlias = Callable[[Random, float], Outcomes]
"""Of a generator and a deadline (of `time.monotonic`), how its cases ended."""
