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

    SURVIVED = "survived"
    """It was legal, and gave what it should."""
    REFUSED = "refused"
    """It was not, and was told so in a sentence."""
    CRASHED = "crashed"
    """Anything else: another error, a signal, silence, too much memory."""


@dataclass(frozen=True)
class Outcome:
    """The end of one case; `what` says more of a crash."""

    ending: Ending
    what: str = ""


@dataclass
class Outcomes:
    """The ends of many cases.

    Attributes:
        counts: How many ended how.
        found: What each crash was, with the seed and the case that give it again.
    """

    counts: Counter[Ending] = field(default_factory=Counter)
    found: list[str] = field(default_factory=list)

    def add(self, outcome: Outcome, again: str) -> None:
        """Count one; `again` is how to have it once more."""
        self.counts[outcome.ending] += 1
        if outcome.ending is Ending.CRASHED:
            self.found.append(f"{again}: {outcome.what}")

    def __str__(self) -> str:
        ends = ", ".join(f"{self.counts[ending]:,} {ending.value}" for ending in Ending)
        return f"{self.counts.total():,} tried, {ends}"


Phase: TypeAlias = Callable[[Random, float], Outcomes]
"""Of a generator and a deadline (of `time.monotonic`), how its cases ended."""
