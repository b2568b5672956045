"""What TransA's margins cost when they are computed anew for every epoch.

Two figures, both with the bar. *Computing them*: a clock round the computation, against the rest of
the same epochs; it sees neither the caches that margins leave cold nor what they make of the loss.
*Times margins kept*: two runs train in turn, of which one computes margins for every epoch, the
other only for its first. That is the whole price, but the machine swings from one run to the next,
and a margin that grows with the vectors leaves fewer triples satisfied, which cost next to nothing.
An epoch with a fixed margin of 1 is reported beside them, without a bar.

Besides the paper's training, an epoch of `transa train` with its defaults is measured, whose
margins are of the reading `active`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from types import ModuleType

from benchmarks.contestants import ours
from benchmarks.machine import THREADS
from benchmarks.records import Point, Score, Side, ratios
from benchmarks.tasks import GRAPHS, TrainingTask
from transa import datasets
from transa.graph import Graph
from transa.margins import READINGS, Adaptive, Fixed
from transa.margins.margin import Reading
from transa.models import Parameters
from transa.settings.config import make_settings
from transa.settings.recipe import Recipe

TITLE = f"TransA's margins computed for every epoch, {THREADS} threads: seconds an epoch"
PEERS = False
BAR = 1.10
EPOCHS = 3


def points(_: list[ModuleType], quick: bool) -> Iterator[Point]:
    """Both graphs, 1 and 16 negatives, all readings of the paper's definition."""
    for name in ("fb15k",) if quick else GRAPHS:
        graph = datasets.load(name)
        for negatives, reading in product((1, 16), READINGS):
            task = TrainingTask(graph, "l1", 100, negatives, THREADS)
            yield compare(f"{task}, {reading}", task, ours.HINGE, reading, 2 if quick else 5)
        yield with_defaults(graph, 2 if quick else 5)


def with_defaults(graph: Graph, rounds: int) -> Point:
    """An epoch of the default recipe."""
    default = make_settings("transa")
    recipe = replace(default.recipe, validate_every=0)
    task = TrainingTask(graph, "l1", default.energy.dim, recipe.negatives, THREADS)
    assert isinstance(recipe.margin, Adaptive)
    return compare(f"{task}, the defaults", task, recipe, recipe.margin.reading, rounds)


def compare(name: str, task: TrainingTask, recipe: Recipe, reading: Reading, rounds: int) -> Point:
    """Margins anew, margins kept and a fixed margin in turn."""
    anew = Adaptive(reading=reading)
    kept = replace(anew, every=1_000_000)
    trainers = {
        who: ours.Trainer(task, replace(recipe, margin=margin))
        for who, margin in (("anew", anew), ("kept", kept), ("fixed", Fixed()))
    }
    watch = Watch(trainers["anew"])
    seconds: dict[str, list[float]] = {who: [] for who in trainers}
    shares = []
    for _ in range(rounds):
        for who, trainer in trainers.items():
            watch.seconds = 0.0
            seconds[who].append(epoch_seconds(trainer))
            if who == "anew":
                computing = watch.seconds / EPOCHS
                shares.append(computing / (seconds[who][-1] - computing))
    sides = {who: Side(who, tuple(values)) for who, values in seconds.items()}
    return Point(
        name=name,
        unit="s",
        sides=tuple(sides.values()),
        scores=(
            Score("computing them, of the rest of an epoch", tuple(shares), BAR - 1, "at most"),
            Score("times margins kept", ratios(sides["anew"], sides["kept"]), BAR, "at most"),
            Score("times a fixed 1", ratios(sides["anew"], sides["fixed"]), None, "at most"),
        ),
    )


class Watch:
    """The seconds that a trainer spends on its margins."""

    def __init__(self, trainer: ours.Trainer) -> None:
        self.seconds = 0.0
        self._compute = trainer.run.margins.compute
        trainer.run.margins.compute = self._timed  # type: ignore[method-assign]

    def _timed(self, parameters: Parameters, epoch: int, threads: int) -> None:
        began = time.perf_counter()
        self._compute(parameters, epoch, threads)
        self.seconds += time.perf_counter() - began


def epoch_seconds(trainer: ours.Trainer) -> float:
    """The mean of a few epochs from fresh vectors."""
    trainer.restart()
    began = time.perf_counter()
    for _ in range(EPOCHS):
        trainer.run.one_epoch()
    return (time.perf_counter() - began) / EPOCHS
