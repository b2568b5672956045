"""How the cost of a triple grows with the graph.

Generated graphs, whose entities occur by a power law. In one series entities grow with the triples,
ten triples each, so that the table of vectors leaves the caches; in the other they stay few, so
that it does not. What the first costs more than the second is what memory costs.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import numpy as np

from benchmarks.contestants import ours
from benchmarks.machine import THREADS
from benchmarks.records import Point, Score, Side, ratios
from benchmarks.tasks import TrainingTask
from transa import from_ids
from transa.graph import Graph

TITLE = f"A power-law graph, TransE, L1, d 100, 1 negative, {THREADS} threads: ns a triple"
PEERS = False
BAR = 1.20
DIM, RELATIONS, FEW_ENTITIES = 100, 100, 10_000
# How often an entity occurs falls with its number to this power.
EXPONENT = 0.5


def points(_: list[ModuleType], quick: bool) -> Iterator[Point]:
    """10⁵, 10⁶ and 10⁷ triples; the smallest is measured anew beside each of the others."""
    sizes = (10**5, 10**6) if quick else (10**5, 10**6, 10**7)
    for grows in (False, True):
        small = ours.Trainer(task_of(sizes[0], grows))
        for size in sizes[1:]:
            yield compare(small, sizes[0], size, grows, rounds=2 if quick else 5)


def compare(small: ours.Trainer, few: int, many: int, grows: bool, rounds: int) -> Point:
    """The small graph and a large one in turn."""
    task = task_of(many, grows)
    trainers = {few: small, many: ours.Trainer(task)}
    cost: dict[int, list[float]] = {size: [] for size in trainers}
    for _ in range(rounds):
        for size, trainer in trainers.items():
            # Of the small graph as many epochs as make the work last.
            epochs = 10 if size == few else 2
            cost[size].append(1e9 / trainer.train(epochs).rate)
    sides = {size: Side(f"{size:,} triples", tuple(values)) for size, values in cost.items()}
    entities = task.graph.n_entities
    table = entities * DIM * 4 / 1e6
    growth = ratios(sides[many], sides[few])
    # The bar holds until the table leaves the caches.
    return Point(
        name=f"{many:,} triples, {entities:,} entities",
        unit="ns",
        sides=tuple(sides.values()),
        scores=(Score(f"times {few:,} triples", growth, BAR, "at most"),),
        notes=(f"the table of entities is {table:,.0f} MB",),
    )


def task_of(triples: int, grows: bool) -> TrainingTask:
    """The work on a graph of so many triples."""
    entities = triples // 10 if grows else FEW_ENTITIES
    return TrainingTask(power_law_graph(triples, entities), "l1", DIM, 1, THREADS)


def power_law_graph(triples: int, entities: int) -> Graph:
    """Random triples; entity i occurs in proportion to (i + 1) ** −EXPONENT, in shuffled order."""
    rng = np.random.default_rng(0)
    # By inversion: the share of the first i entities is about (i / n) ** (1 − EXPONENT).
    drawn = rng.random((triples, 2)) ** (1 / (1 - EXPONENT))
    ends = rng.permutation(entities)[(drawn * entities).astype(np.int64)]
    relations = rng.integers(RELATIONS, size=triples)
    ids = np.stack([ends[:, 0], relations, ends[:, 1]], axis=1)
    return from_ids(ids, n_entities=entities, n_relations=RELATIONS, name="power-law")
