"""Which margin separates a triple from its corruptions: one for all, or each its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from transa.errors import ConfigError

Reading: TypeAlias = Literal["pairs", "spheres", "active"]
READINGS: tuple[Reading, ...] = ("pairs", "spheres", "active")


@dataclass(frozen=True)
class Fixed:
    """The same margin for every triple, as in TransE."""

    value: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.value < float("inf"):
            raise ConfigError(
                f"a fixed margin is a finite number of at least 0, found {self.value}"
            )


@dataclass(frozen=True)
class Adaptive:
    """M_opt = μ M_ent + (1 − μ) M_rel (Jia et al. 2016, equation 3), from the vectors as they move.

    Attributes:
        mu: the weight of the entity-specific margin against the relation-specific one.
        reading: how definition 2 is read; see `transa.margins.adaptive`.
        every: recompute after this many epochs.
        rounds: `active` only: how many negatives are drawn for an entity each time.
    """

    mu: float = 0.5
    reading: Reading = "active"
    every: int = 1
    rounds: int = 2

    def __post_init__(self) -> None:
        if not 0 <= self.mu <= 1:
            raise ConfigError(f"mu is between 0 and 1, found {self.mu}")
        if self.reading not in READINGS:
            raise ConfigError(f"reading is one of {', '.join(READINGS)}; found {self.reading!r}")
        if self.every < 1 or self.rounds < 1:
            raise ConfigError("every and rounds are at least 1")


Margin: TypeAlias = Fixed | Adaptive
