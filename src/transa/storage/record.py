"""How training went: plain values, which are kept with the model."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias

from transa.errors import StoreError
from transa.files.schema import Natural, NotNegative

Stopped: TypeAlias = Literal["finished", "early", "interrupted"]


@dataclass(frozen=True)
class EpochReport:
    """What an epoch came to; also a line of the log."""

    epoch: Natural
    epochs: Natural
    loss: float
    mean_margin: float
    validation: float | None
    best: float | None
    seconds: NotNegative
    seconds_left: float


@dataclass(frozen=True)
class Summary:
    """A run in a few numbers, as ``config.json`` tells them."""

    epochs: Natural
    best_epoch: Natural
    stopped: Stopped
    seconds: NotNegative
    loss: float | None
    mean_margin: float | None
    validation: float | None


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
        told = Summary(
            epochs=len(self.history),
            best_epoch=self.best_epoch,
            stopped=self.stopped,
            seconds=last.seconds if last else 0.0,
            loss=last.loss if last else None,
            mean_margin=last.mean_margin if last else None,
            validation=last.best if last else None,
        )
        return asdict(told)


def recorded(history: tuple[EpochReport, ...], told: Summary) -> TrainingRecord:
    """The record of a run that was summed up so.

    Raises:
        StoreError: if the two contradict each other.
    """
    record = TrainingRecord(history, told.best_epoch, told.stopped)
    if [report.epoch for report in history] != [*range(1, len(history) + 1)]:
        raise StoreError("the epochs of the log are not in order")
    looked = {0, *(report.epoch for report in history if report.validation is not None)}
    if record.summary() != asdict(told) or told.best_epoch not in looked:
        raise StoreError("the log is of another training than config.json tells of")
    return record
