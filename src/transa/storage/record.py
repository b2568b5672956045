"""How training went: plain values, which are kept with the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Stopped: TypeAlias = Literal["finished", "early", "interrupted"]


@dataclass(frozen=True)
class EpochReport:
    """What an epoch came to; also a line of the log."""

    epoch: int
    epochs: int
    loss: float
    mean_margin: float
    validation: float | None
    best: float | None
    seconds: float
    seconds_left: float


@dataclass(frozen=True)
class TrainingRecord:
    """How a run went.

    Attributes:
        history: one report an epoch.
        best_epoch: the one whose vectors were chosen; 0 without validation, where it is the last.
        stopped: how the run ended.
    """

    history: tuple[EpochReport, ...]
    best_epoch: int
    stopped: Stopped

    def summary(self) -> dict[str, int | float | str | None]:
        """In a few numbers."""
        last = self.history[-1] if self.history else None
        return {
            "epochs": len(self.history),
            "best_epoch": self.best_epoch,
            "stopped": self.stopped,
            "seconds": last.seconds if last else 0.0,
            "loss": last.loss if last else None,
            "mean_margin": last.mean_margin if last else None,
            "validation": last.best if last else None,
        }
