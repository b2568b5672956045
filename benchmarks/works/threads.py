"""What a second thread gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from types import ModuleType

from benchmarks.contestants import ours
from benchmarks.records import Point, Score, Side, ratios
from benchmarks.tasks import GRAPHS, TrainingTask
from transa import datasets
from transa.kernels.threads import available_threads

TITLE = "TransE, hinge, SGD, d 100: positives a second on one thread and on two"
PEERS = False
BAR = 1.7


def points(_: list[ModuleType], quick: bool) -> Iterator[Point]:
    """Both graphs and norms, 1 and 16 negatives."""
    if available_threads() < 2:
        return
    for name in ("fb15k",) if quick else GRAPHS:
        graph = datasets.load(name)
        for norm, negatives in product(("l1", "l2"), (1, 16)):
            two = TrainingTask(graph, norm, 100, negatives, threads=2)
            yield compare(two, rounds=2 if quick else 5)


def compare(two: TrainingTask, rounds: int) -> Point:
    """One thread and two in turn."""
    trainers = {n: ours.Trainer(replace(two, threads=n)) for n in (1, 2)}
    rates: dict[int, list[float]] = {n: [] for n in trainers}
    for _ in range(rounds):
        for n, trainer in trainers.items():
            rates[n].append(trainer.train(epochs=3).rate / 1e6)
    one, both = Side("1 thread", tuple(rates[1])), Side("2 threads", tuple(rates[2]))
    score = Score("times one thread", ratios(both, one), BAR)
    return Point(str(two), "M/s", (one, both), (score,))
