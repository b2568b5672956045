"""What a triple costs round a hub: a star graph, one head and one relation that lead everywhere.

The tail of such a triple has next to no corruption that is not known. Real graphs have relations
like that (everything has the type Thing), and a triple must cost the same however many there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import numpy as np

from benchmarks.contestants import ours
from benchmarks.records import Point, Score, Side, ratios
from benchmarks.tasks import TrainingTask
from transa import from_ids
from transa.graph import Graph

TITLE = "A star graph, TransE, L1, d 8, 1 thread: ns a triple"
PEERS = False
BAR = 2.0
DIM = 8
SIZES = (10**3, 10**4, 10**5, 10**6)
# Triples that a measurement goes through, at least: a small star has several epochs.
ENOUGH = 100_000


def points(_: list[ModuleType], quick: bool) -> Iterator[Point]:
    """Stars of 10³ to 10⁶ triples, with 1 and 32 negatives; the smallest anew beside each."""
    smallest, *larger = SIZES[:-2] if quick else SIZES
    for negatives in (1, 32):
        small = ours.Trainer(task_of(smallest, negatives))
        for size in larger:
            yield compare(small, smallest, size, negatives, rounds=2 if quick else 5)


def compare(small: ours.Trainer, few: int, many: int, negatives: int, rounds: int) -> Point:
    """The small star and a large one in turn."""
    trainers = {few: small, many: ours.Trainer(task_of(many, negatives))}
    cost: dict[int, list[float]] = {size: [] for size in trainers}
    for _ in range(rounds):
        for size, trainer in trainers.items():
            cost[size].append(1e9 / trainer.train(max(1, ENOUGH // size)).rate)
    sides = {size: Side(f"{size:,} triples", tuple(values)) for size, values in cost.items()}
    growth = Score(f"times {few:,} triples", ratios(sides[many], sides[few]), BAR, "at most")
    return Point(f"{many:,} triples, K {negatives}", "ns", tuple(sides.values()), (growth,))


def task_of(triples: int, negatives: int) -> TrainingTask:
    """The work on a star of so many triples."""
    return TrainingTask(star_graph(triples), "l1", DIM, negatives, threads=1)


def star_graph(triples: int) -> Graph:
    """Entity 0 leads to all others."""
    tails = np.arange(1, triples + 1)
    ids = np.stack([np.zeros_like(tails), np.zeros_like(tails), tails], axis=1)
    return from_ids(ids, n_entities=triples + 1, n_relations=1, name="star")
