"""The time that a search has, and a trial of it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

# What the end takes: probabilities, and the ranks of the test triples.
_SHARE_OF_THE_END, _MOST_OF_THE_END = 0.05, 30.0


@dataclass(frozen=True)
class Clock:
    """Seconds of a search, of all its calls together.

    Attributes:
        total: what it may take.
        before: what earlier calls took.
        began: when this call began.
    """

    total: float
    before: float = 0.0
    began: float = field(default_factory=time.monotonic)

    def spent(self) -> float:
        """Seconds so far."""
        return self.before + time.monotonic() - self.began

    def left(self) -> float:
        """Seconds that trials may still take."""
        end = min(_SHARE_OF_THE_END * self.total, _MOST_OF_THE_END)
        return max(0.0, self.total - end - self.spent())

    def is_over(self) -> bool:
        """Whether there is no time left for trials."""
        return self.left() <= 0

    def allow(self, seconds: float) -> Allowance:
        """A trial's part, from now on; never more than what is left."""
        return Allowance(min(seconds, self.left()))


@dataclass(frozen=True)
class Allowance:
    """What a trial may take, from when this was made."""

    seconds: float
    began: float = field(default_factory=time.monotonic)

    def used(self) -> float:
        """Seconds so far."""
        return time.monotonic() - self.began

    def left(self) -> float:
        """Seconds that are left."""
        return max(0.0, self.seconds - self.used())

    def is_over(self) -> bool:
        """Whether none are left."""
        return self.used() >= self.seconds
