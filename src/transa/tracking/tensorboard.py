"""TensorBoard: event files in a folder. Needs the extra `tensorboard`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from transa.errors import optional
from transa.files.paths import path_of
from transa.tracking.reporting import Tracker, Value


class TensorBoard(Tracker):
    """Writes event files; ``tensorboard --logdir`` shows them.

    Args:
        folder: where to.
    """

    def __init__(self, folder: str | Path = "runs/tensorboard") -> None:
        self.folder = path_of(folder)
        self._writer: Any = None

    def open(self, name: str, settings: dict[str, Value]) -> None:
        """A writer, and the settings as a table of text."""
        optional("tensorboard", "tensorboard", "a record for TensorBoard")
        from torch.utils.tensorboard import SummaryWriter

        self._writer = SummaryWriter(str(self.folder))
        rows = "\n".join(f"| {setting} | {value} |" for setting, value in settings.items())
        self._writer.add_text(name, f"| setting | value |\n|---|---|\n{rows}")

    def add(self, numbers: dict[str, float], epoch: int) -> None:
        """A curve for each."""
        for name, value in numbers.items():
            self._writer.add_scalar(name, value, epoch)
        self._writer.flush()

    def close(self, summary: dict[str, Value] | None) -> None:
        """How it ended, as text."""
        told = summary or {"stopped": "failed"}
        self._writer.add_text("end", "\n".join(f"- {name}: {v}" for name, v in told.items()))
        self._writer.close()
