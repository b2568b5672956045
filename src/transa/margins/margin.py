"""Which margin separates a triple from its corruptions: one for all, or each its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from transa.errors import ConfigError

Reading: TypeAlias = Literal["pairs", "spheres", "active"]
READINGS: tuple[Reading, ...] = ("pairs", "spheres", "active")


@dataclass(frozen=True)
class Fixed:
    """The same margin for every triple, as in TransE.

    Example:
        >>> Fixed(2.0).value
        2.0
    """

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
        local: how much of a margin's distance from the mean of all of them is kept: 1 holds every
            triple to its own M_opt, as the paper does, 0 every triple to the mean.
        halved_at: a triple is held to half of its M_opt if its question, (h, r, ?) or (?, r, t),
            has this many other known answers, to all of it if none; 0: always to all.
        mu_halved_after: epochs n after which μ has fallen to a half, by 1 / (1 + (epochs / n)²), so
            that entities are first drawn far apart and then put in order; 0: it stays.

    Example:
        >>> import transa
        >>> paper = Adaptive(mu=0.5, reading="pairs", local=1.0)
        >>> transa.TransA(dim=50, margin=paper).settings.recipe.margin.local
        1.0
    """

    mu: float = 0.5
    reading: Reading = "active"
    every: int = 1
    rounds: int = 2
    local: float = 0.0
    halved_at: float = 0.0
    mu_halved_after: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.mu <= 1:
            raise ConfigError(f"mu is between 0 and 1, found {self.mu}")
        if not 0 <= self.mu_halved_after < float("inf"):
            raise ConfigError(
                "mu_halved_after is a finite number of epochs, or 0 for never; found "
                f"{self.mu_halved_after}"
            )
        if self.reading not in READINGS:
            raise ConfigError(f"reading is one of {', '.join(READINGS)}; found {self.reading!r}")
        if self.every < 1 or self.rounds < 1:
            raise ConfigError("every and rounds are at least 1")
        if not 0 <= self.local <= 1:
            raise ConfigError(f"local is a share, 0 to 1, found {self.local}")
        if self.halved_at < 0:
            raise ConfigError(f"halved_at is not negative, found {self.halved_at}")

    def mu_in(self, epoch: int) -> float:
        """μ in an epoch, counted from 0.

        Example:
            >>> [Adaptive(mu=1.0, mu_halved_after=40).mu_in(epoch) for epoch in (0, 40, 120)]
            [1.0, 0.5, 0.1]
        """
        if self.mu_halved_after == 0:
            return self.mu
        return self.mu / (1 + (epoch / self.mu_halved_after) ** 2)


Margin: TypeAlias = Fixed | Adaptive
