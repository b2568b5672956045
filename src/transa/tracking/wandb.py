"""Weights & Biases: a run of a project, online or not. Needs the extra `wandb`."""

from __future__ import annotations

from typing import Any

from transa.errors import ConfigError, optional
from transa.tracking.reporting import Tracker, Value


class WeightsAndBiases(Tracker):
    """Logs a run by its client, whose environment says where to (``WANDB_MODE=offline``, ...).

    Args:
        project: its name.
    """

    def __init__(self, project: str = "transa") -> None:
        self.project = project
        self._run: Any = None

    def open(self, name: str, settings: dict[str, Value]) -> None:
        """A run of its own, also where a script has one open."""
        wandb = optional("wandb", "wandb", "a record for Weights & Biases")
        try:
            self._run = wandb.init(
                project=self.project, name=name, config=settings, reinit="create_new"
            )
        except (wandb.Error, OSError) as error:
            told = " ".join(str(error).split())
            raise ConfigError(f"Weights & Biases cannot record this run ({told:.300})") from error

    def add(self, numbers: dict[str, float], epoch: int) -> None:
        """One line of its history."""
        self._run.log(numbers, step=epoch)

    def close(self, summary: dict[str, Value] | None) -> None:
        """The summary, and an exit code."""
        self._run.summary.update(summary or {"stopped": "failed"})
        self._run.finish(exit_code=1 if summary is None else 0)
