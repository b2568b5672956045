"""What users hang into a run: called as it begins, after every epoch and as it ends."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from transa.errors import ConfigError
from transa.files.paths import path_of
from transa.models.fitted import FittedModel
from transa.storage.record import EpochReport, TrainingRecord

if TYPE_CHECKING:
    from transa.training.loop import Run


class Running:
    """A run as callbacks see it: what it is, how far it is, and what can be asked of it.

    Attributes:
        graph: what is trained on.
    """

    def __init__(self, run: Run) -> None:
        self._run, self.graph = run, run.graph
        self.stop_asked = False

    @property
    def settings(self) -> dict[str, Any]:
        """The energy's hyper-parameters and the recipe's settings, side by side."""
        energy, recipe = self._run.rows.energy, self._run.recipe
        margin = {f"margin.{name}": value for name, value in asdict(recipe.margin).items()}
        plain = {**vars(energy), **vars(recipe), "margin": recipe.margin.kind, **margin}
        return {"energy": energy.name, **plain}

    @property
    def history(self) -> tuple[EpochReport, ...]:
        """One report an epoch, of those that are done."""
        return tuple(self._run.history)

    @property
    def rate(self) -> float:
        """The learning rate; can be set, for the epochs to come."""
        return self._run.recipe.lr

    @rate.setter
    def rate(self, rate: float) -> None:
        # The declared range of the setting refuses what is no rate.
        self._run.change_recipe(replace(self._run.recipe, lr=rate))

    def shorten(self, epochs: int) -> None:
        """Plan the run to end after so many epochs in all; a rate that falls, falls by then."""
        epochs = max(epochs, len(self.history) + 1)
        if epochs < self._run.recipe.epochs:
            self._run.change_recipe(replace(self._run.recipe, epochs=epochs))

    def stop(self) -> None:
        """End the run after this epoch; the best vectors seen are kept, as if it had run out."""
        self.stop_asked = True

    def save_checkpoint(self, path: str | Path | None = None) -> None:
        """Write a checkpoint, to the run's own file or to another; `fit` can resume from it."""
        self._run.save(None if path is None else path_of(path))

    def model(self) -> FittedModel:
        """A model of the vectors as they are now: a copy, which training does not touch."""
        self._run.engine.synchronise()
        rows = self._run.rows
        tables = {name: table.copy() for name, table in rows.mean.items()}
        return FittedModel(rows.energy, tables, self.graph)


class Callback:
    """Called by a run; override what is of use.

    What `begin` raises ends a run before it has cost anything. An exception later on is told as a
    warning, and the run goes on without this callback: nothing that was learnt is lost.
    """

    def begin(self, run: Running) -> None:
        """Called before the first epoch; a run that is resumed has a history by then."""

    def epoch(self, run: Running, report: EpochReport) -> None:
        """Called after every epoch."""

    def end(self, run: Running, record: TrainingRecord | None) -> None:
        """Called once at the end, however it came; there is no record of a run that failed."""


EachEpoch: TypeAlias = Callable[[Running, EpochReport], None]
"""A function that is called after every epoch, which is all that most callbacks are."""


class Callbacks:
    """Those of one run, called so that none can do it harm.

    Attributes:
        interrupted: whether one of them was interrupted from the keyboard.
    """

    def __init__(self, given: Sequence[Callback | EachEpoch], running: Running) -> None:
        self.interrupted, self._running = False, running
        self._called = [_as_callback(each) for each in given]
        self._begun: list[Callback] = []

    @property
    def stop_asked(self) -> bool:
        """Whether one of them has asked for the end."""
        return self._running.stop_asked

    def begin(self) -> None:
        """Before the first epoch."""
        for callback in self._called:
            callback.begin(self._running)
            self._begun.append(callback)

    def epoch(self, report: EpochReport) -> None:
        """After an epoch."""
        for callback in list(self._begun):
            self._call(callback, lambda c: c.epoch(self._running, report))

    def end(self, record: TrainingRecord | None) -> None:
        """At the end, of which each is told that has heard of the beginning."""
        for callback in list(self._begun):
            self._call(callback, lambda c: c.end(self._running, record))

    def _call(self, callback: Callback, call: Callable[[Callback], None]) -> None:
        try:
            call(callback)
        except KeyboardInterrupt:
            self.interrupted = True
        except Exception as error:
            self._begun.remove(callback)
            told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            warnings.warn(
                f"{_name(callback)} failed and is left out from here on ({told})",
                RuntimeWarning,
                stacklevel=2,
            )


class _Function(Callback):
    def __init__(self, function: EachEpoch) -> None:
        self.function = function

    def epoch(self, run: Running, report: EpochReport) -> None:
        self.function(run, report)


def _as_callback(given: Callback | EachEpoch) -> Callback:
    if isinstance(given, Callback):
        return given
    if isinstance(given, type) or not callable(given):
        raise ConfigError(
            f"a callback is a transa.Callback or a function of run and report, found {given!r:.100}"
        )
    return _Function(given)


def _name(callback: Callback) -> str:
    if isinstance(callback, _Function):
        return f"the callback {getattr(callback.function, '__name__', callback.function)!s}"
    return f"the callback {type(callback).__name__}"
