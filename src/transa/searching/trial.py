"""One trial: a model trained by some settings, within its time, watched on validation."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from transa.errors import TransaError
from transa.graph import Graph
from transa.models import FittedModel
from transa.searching.clock import Allowance, Clock
from transa.settings.config import Settings
from transa.storage.folder import SavedModel
from transa.storage.record import EpochReport
from transa.training.callbacks import Callback, Running
from transa.training.interrupt import StopAsked
from transa.training.loop import Run

Ended: TypeAlias = Literal["finished", "pruned", "out of time", "stopped", "failed"]

Hopeless: TypeAlias = Callable[[float, int], bool]
"""Told the best MRR so far and how far a run is, in sixths: whether to end it."""

# Looks that are told, evenly over a run: those of all runs are then at the same places.
PLACES = 6
# Of the time that is left, what epochs are planned for: the next may take longer than the last.
_CAUTION = 0.9


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a trial came to.

    Attributes:
        ended: how.
        mrr: the best on the validation split; None if there was no time for one look.
        seconds: of training.
        epochs: that were done.
        numbers: in the model's tables.
        saved: the best vectors seen, with what they were trained by.
        why: the sentence of one that failed.
    """

    ended: Ended
    mrr: float | None = None
    seconds: float = 0.0
    epochs: int = 0
    numbers: int = 0
    saved: SavedModel | None = None
    why: str = ""


def run_trial(
    graph: Graph,
    settings: Settings,
    clock: Clock,
    seconds: float,
    stopped: StopAsked,
    hopeless: Hopeless,
) -> Outcome:
    """Train until the end, the end of its time, or until there is no hope for it.

    Its seconds count from the end of its first epoch: until then kernels may have to be compiled,
    and without one look nothing can be said of it. The clock of the search counts all the same.
    """
    watch = _Watch(clock, seconds, hopeless)
    began = time.monotonic()
    try:
        run = Run(settings.energy, settings.recipe, graph, None)
        trained = run.until_done(
            None, None, [watch], lambda: stopped() or clock.is_over() or watch.is_over
        )
    except (TransaError, MemoryError) as error:
        took = time.monotonic() - began
        return Outcome("failed", seconds=took, why=str(error) or "there is not enough memory")
    planned, epochs = run.recipe.epochs, len(trained.history)
    if watch.is_pruned:
        ended: Ended = "pruned"
    elif epochs == planned:
        ended = "out of time" if planned < settings.recipe.epochs else "finished"
    elif trained.stopped == "interrupted" or stopped():
        ended = "stopped"
    else:
        # Where its time is not over, it had no patience left.
        ended = "out of time" if watch.is_over or clock.is_over() else "finished"
    recipe = replace(settings.recipe, epochs=planned)
    model = FittedModel(settings.energy, trained.parameters, graph)
    best = trained.history[-1].best if trained.history else None
    return Outcome(
        ended,
        best,
        time.monotonic() - began,
        epochs,
        sum(table.size for table in model.tables.values()),
        None
        if best is None
        else SavedModel(replace(settings, recipe=recipe), model, trained.record),
    )


class _Watch(Callback):
    """Plans a run to what its time allows, and ends one that others are ahead of.

    Attributes:
        is_pruned: whether others are ahead.
    """

    def __init__(self, clock: Clock, seconds: float, hopeless: Hopeless) -> None:
        self._clock, self._allowed, self._hopeless = clock, seconds, hopeless
        self._allowance: Allowance | None = None
        self.is_pruned = False
        self._told, self._seconds = 0, 0.0

    @property
    def is_over(self) -> bool:
        """Whether the run is to end."""
        return self.is_pruned or (self._allowance is not None and self._allowance.is_over())

    def epoch(self, run: Running, report: EpochReport) -> None:
        if self._allowance is None:
            self._allowance = self._clock.allow(self._allowed)
        self._plan(run, report, self._allowance)
        place = PLACES * report.epoch // int(run.settings["epochs"])
        if report.best is not None and self._told < place < PLACES:
            self._told = place
            self.is_pruned = self._hopeless(report.best, place)

    def _plan(self, run: Running, report: EpochReport, allowance: Allowance) -> None:
        """Plan no more epochs than there is time for. Of the first, compiling took a part."""
        last, self._seconds = report.seconds - self._seconds, report.seconds
        if report.epoch == 1 and report.seconds_left:
            return
        fit = report.epoch + int(_CAUTION * allowance.left() / max(last, 1e-6))
        if fit < int(run.settings["epochs"]):
            run.shorten(fit)
