"""Who is nearest: an index of a million vectors beside a look at all of them.

The vectors lie in heaps, as those that were learnt do: a hundred entities a heap. The index is made
once for each metric, which takes far longer than what is measured; both sides answer the same
questions, one at a time, on one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from benchmarks.records import Point, Score, Side, ratios
from transa.asking.neighbours.index import Metric, build_index
from transa.models.distances import distances_from, nearest

TITLE = "The ten nearest of a million vectors, d 100: ms a question"
PEERS = False
SPEED_BAR, RECALL_BAR = 10.0, 0.99
DIM, K, QUESTIONS = 100, 10, 50
METRICS: tuple[Metric, ...] = ("l1", "l2", "product")

Vectors = NDArray[np.float32]
Ask = Callable[[int], NDArray[np.integer]]


def points(_: list[ModuleType], quick: bool) -> Iterator[Point]:
    """Each metric; a look through a hundredth of the vectors with --quick."""
    vectors = heaps(10**4 if quick else 10**6)
    for metric in METRICS:
        yield compare(vectors, metric, rounds=2 if quick else 5)


def compare(vectors: Vectors, metric: Metric, rounds: int) -> Point:
    """The same questions to the index and to all vectors, in turn."""
    begun = time.perf_counter()
    index = build_index(vectors, metric)
    made = time.perf_counter() - begun
    asked = np.random.default_rng(1).choice(len(vectors), (rounds, QUESTIONS), replace=False)

    def by_index(entity: int) -> NDArray[np.integer]:
        return index.nearest(vectors[entity][None], K)[0]

    cost: dict[str, list[float]] = {"exact": [], "index": []}
    recall = []
    for questions in asked.tolist():
        exact, cost_exact = answered(look_at_all(vectors, metric), questions)
        found, cost_index = answered(by_index, questions)
        cost["exact"].append(cost_exact)
        cost["index"].append(cost_index)
        recall.append(
            float(np.mean([np.isin(a, b).mean() for a, b in zip(exact, found, strict=True)]))
        )
    exact_side, index_side = (Side(name, tuple(values)) for name, values in cost.items())
    return Point(
        f"{len(vectors):,} vectors, {metric}",
        "ms",
        (exact_side, index_side),
        (
            Score("times as fast", ratios(exact_side, index_side), SPEED_BAR),
            Score(f"recall@{K}", tuple(recall), RECALL_BAR),
        ),
        (f"the index was made in {made:.0f} s",),
    )


def look_at_all(vectors: Vectors, metric: Metric) -> Ask:
    """As questions are answered without an index."""
    if metric == "product":
        return lambda entity: nearest(-(vectors @ vectors[entity]), K)
    return lambda entity: nearest(distances_from(entity, vectors, metric), K)


def answered(ask: Ask, questions: list[int]) -> tuple[list[NDArray[np.integer]], float]:
    """The answers, and the milliseconds each took."""
    begun = time.perf_counter()
    found = [ask(entity) for entity in questions]
    return found, 1000 * (time.perf_counter() - begun) / len(questions)


def heaps(n: int) -> Vectors:
    """N vectors in heaps of about a hundred."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(n // 100, DIM)).astype(np.float32)
    vectors = rng.normal(scale=0.5, size=(n, DIM)).astype(np.float32)
    vectors += centres[rng.integers(0, len(centres), n)]
    return vectors
