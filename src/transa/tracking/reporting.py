"""What trackers tell, whichever library they tell it to."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import asdict
from typing import TypeAlias

from transa.storage.record import EpochReport, TrainingRecord
from transa.training.callbacks import Callback, Running

Value: TypeAlias = str | float | bool | None

_TOLD = ("loss", "mean_margin", "validation", "best", "seconds")


class Tracker(Callback):
    """Three things to define: how to open a record, how to add numbers to it, how to close it."""

    @abstractmethod
    def open(self, name: str, settings: dict[str, Value]) -> None:
        """Begin the record of a run on the graph of that name."""

    @abstractmethod
    def add(self, numbers: dict[str, float], epoch: int) -> None:
        """Add the numbers of an epoch."""

    @abstractmethod
    def close(self, summary: dict[str, Value] | None) -> None:
        """End the record; a run that failed has no summary."""

    def begin(self, run: Running) -> None:
        """Open the record, with what is known before training."""
        graph = run.graph
        sizes = {"entities": graph.n_entities, "relations": graph.n_relations}
        told = {"graph": graph.name, **sizes, "triples": len(graph.train), **run.settings}
        self.open(graph.name, told)

    def epoch(self, run: Running, report: EpochReport) -> None:
        """The epoch's numbers, and the rate that it was trained with."""
        told = {name: value for name, value in asdict(report).items() if name in _TOLD}
        numbers = {name: float(value) for name, value in told.items() if value is not None}
        self.add({**numbers, "rate": run.rate}, report.epoch)

    def end(self, run: Running, record: TrainingRecord | None) -> None:  # noqa: ARG002
        """Close the record."""
        self.close(None if record is None else dict(record.summary()))
