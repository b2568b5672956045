"""The runner: runs units that have no record yet, and tells how far it is.

Two steps, and nothing else reads a split: `validated` trains and measures on the validation split;
`tested` measures on the test split what was chosen by then. A unit that has been stopped goes on
from its checkpoint, one that has a record is not run again.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from experiments.running import records
from experiments.running.graphs import graph_of
from experiments.running.records import Record
from experiments.running.unit import Unit
from transa.errors import StoreError
from transa.graph import Graph
from transa.kernels.threads import thread_count

if TYPE_CHECKING:
    from transa.estimator import Estimator
    from transa.storage.record import EpochReport
    from transa.training.loop import Trained

_MODELS = ".models"

Watch: TypeAlias = "Callable[[EpochReport], None]"
"""Told of every epoch."""


@dataclass(frozen=True)
class Runner:
    """Where units are run.

    Attributes:
        folder: of the records; each experiment has a folder in it.
        threads: for training and measuring; 0 is all cores.
        say: told one line a unit.
        watch: told of every epoch.
    """

    folder: Path
    threads: int = 0
    say: Callable[[str], None] = lambda _: None
    watch: Watch | None = None

    def __post_init__(self) -> None:
        try:
            self._models.mkdir(parents=True, exist_ok=True)
            # Vectors are made again from their record's settings, so git need not keep them.
            (self._models / ".gitignore").write_text("*\n", encoding="utf-8")
        except OSError as error:
            raise StoreError(
                f"{self.folder}: records cannot be written there ({error.strerror}); "
                "choose another folder with --out"
            ) from error

    def validated(self, units: Sequence[Unit]) -> list[Record]:
        """Train each unit and measure it on the validation split; those recorded are read."""
        return self._each(units, self._validate, lambda _: True)

    def tested(self, units: Sequence[Unit]) -> list[Record]:
        """Measure final units on the test split, once; those not trained yet are trained."""
        self.validated(units)
        return self._each(units, self._test, lambda record: record.test is not None)

    def tidy(self, units: Sequence[Unit]) -> None:
        """Drop the vectors of units that nothing more will be asked of."""
        for unit in units:
            shutil.rmtree(self._models / unit.digest, ignore_errors=True)

    def _each(
        self,
        units: Sequence[Unit],
        work: Callable[[Unit], Record],
        is_done: Callable[[Record], bool],
    ) -> list[Record]:
        todo = {unit.digest: unit for unit in units if not self._has(unit, is_done)}
        clock = _Clock(len(todo))
        for unit in todo.values():
            record = work(unit)
            records.write(records.path_of(self.folder, unit), record)
            self.say(clock.line(unit, record))
        return [records.read(records.path_of(self.folder, unit)) for unit in units]

    def _has(self, unit: Unit, is_done: Callable[[Record], bool]) -> bool:
        path = records.path_of(self.folder, unit)
        return path.exists() and is_done(records.read(path))

    def _validate(self, unit: Unit) -> Record:
        began, clock = datetime.now(UTC), time.monotonic()
        meter = _Meter(self.watch)
        model, trained = self._learn(unit, meter)
        figures = unit.task.measure(model, "valid", self._threads)
        made = {
            **records.code_version(),
            "began": began.isoformat(timespec="seconds"),
            "threads": self._threads,
            "processor_seconds_training": round(meter.processor_seconds(len(trained.history)), 2),
            "seconds": round(time.monotonic() - clock, 2),
        }
        counts = _counts(graph_of(unit.graph))
        return Record(unit.plain, unit.digest, counts, made, _summary(trained), figures)

    def _test(self, unit: Unit) -> Record:
        from transa.estimator import load

        record = records.read(records.path_of(self.folder, unit))
        folder = self._models / unit.digest
        model = load(folder) if folder.is_dir() else self._learn(unit, self.watch)[0]
        figures = unit.task.measure(model, "test", self._threads)
        return replace(record, test=figures, made={**record.made, "tested": records.code_version()})

    def _learn(self, unit: Unit, watch: Watch | None) -> tuple[Estimator, Trained]:
        """Train, or go on training; the model is kept for the final step."""
        from transa.estimator import load
        from transa.models import FittedModel
        from transa.storage import folder as store

        folder = self._models / unit.digest
        checkpoint = folder.with_suffix(".checkpoint")
        graph = graph_of(unit.graph)
        trained = _train(unit, self._threads, checkpoint, watch)
        if trained.stopped == "interrupted":
            raise KeyboardInterrupt
        model = FittedModel(unit.settings.energy, trained.parameters, graph)
        store.save(folder, store.SavedModel(unit.settings, model, trained.record))
        checkpoint.unlink(missing_ok=True)
        return load(folder), trained

    @property
    def _models(self) -> Path:
        return self.folder / _MODELS

    @property
    def _threads(self) -> int:
        return thread_count(self.threads)


def _train(
    unit: Unit,
    threads: int,
    checkpoint: Path,
    watch: Watch | None,
) -> Trained:
    from experiments.running.pooling import PooledMargins
    from transa.training.loop import Run

    graph = graph_of(unit.graph)
    recipe = replace(unit.settings.recipe, threads=threads)
    run = Run(unit.settings.energy, recipe, graph, checkpoint)
    if unit.pooled:
        energy, triples = unit.settings.energy, run.bucket.triples
        run.margins = PooledMargins(energy, recipe, triples, graph.n_entities)
    if checkpoint.exists():
        # One that another version of the code left is of no use: the unit begins anew.
        with suppress(StoreError):
            run.restore()
    return run.until_done(None, watch)


def _counts(graph: Graph) -> dict[str, int]:
    splits = {split: len(graph.split(split)) for split in ("train", "valid", "test")}
    return {"entities": graph.n_entities, "relations": graph.n_relations, **splits}


def _summary(trained: Trained) -> dict[str, object]:
    chosen = trained.history[(trained.best_epoch or len(trained.history)) - 1]
    return {**trained.summary(), "chosen_margin": chosen.mean_margin}


class _Meter:
    """Processor time of training, which a busy machine does not stretch as it does the clock's."""

    def __init__(self, watch: Watch | None) -> None:
        self._watch = watch
        self._at: list[float] = []

    def __call__(self, epoch: EpochReport) -> None:
        """An epoch has ended."""
        self._at.append(time.process_time())
        if self._watch is not None:
            self._watch(epoch)

    def processor_seconds(self, epochs: int) -> float:
        """Of so many epochs, as long as those seen on average but for the first, which compiles."""
        if len(self._at) < 2:
            return 0.0
        return (self._at[-1] - self._at[0]) / (len(self._at) - 1) * epochs


class _Clock:
    """How long units take, and how long the rest will."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._began = total, 0, time.monotonic()

    def line(self, unit: Unit, record: Record) -> str:
        """What to say after a unit."""
        self._done += 1
        passed = time.monotonic() - self._began
        left = passed / self._done * (self._total - self._done)
        figures = _figures(record.test if record.test is not None else record.validation)
        kind = "test" if record.test is not None else "validation"
        told = f"[{self._done}/{self._total}] {unit}, seed {unit.seed}: {kind} {figures}"
        rest = f", about {_clock(left)} left" if left else ""
        return f"{told} ({_clock(passed)}{rest})"


def _figures(measured: dict[str, object]) -> str:
    """The plain numbers at the top of what was measured."""
    numbers = [(n, v) for n, v in measured.items() if isinstance(v, int | float)]
    return ", ".join(f"{name} {value:.4g}" for name, value in numbers[:4]) or "done"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"
