"""Answers in bulk, beside the ranking kernel on the same questions.

The distinct questions of the test split, for heads and for tails, ten answers each, what is known
left out: as arrays, and as `transa predict --file` writes them, with names and probabilities. The
ranking kernel meets the same questions, each once: it counts who is before the true answers.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from types import ModuleType

import numpy as np

from benchmarks.machine import THREADS
from benchmarks.records import Point, Score, Side, ratios
from benchmarks.tasks import GRAPHS, RankingTask, rounded_vectors
from benchmarks.works.ranking import seconds_of
from transa import datasets
from transa.asking.bulk.best import best_new
from transa.asking.bulk.tables import Bulk, write_answers
from transa.asking.probability.fitting import fit_probabilities
from transa.graph import Graph
from transa.graph.known import GAP
from transa.ranking import rank

TITLE = f"Ten answers to each question of the test split, d 200, {THREADS} threads: seconds"
PEERS = False
BAR = 0.5
DIM, K = 200, 10


def points(_: list[ModuleType], quick: bool) -> Iterator[Point]:
    """Both graphs in both norms."""
    for name, norm in product(("wn18",) if quick else GRAPHS, ("l1", "l2")):
        graph = datasets.load(name)
        task = RankingTask(graph, norm, rounded_vectors(graph, DIM), THREADS)
        yield compare(task, rounds=2 if quick else 5)


def compare(task: RankingTask, rounds: int) -> Point:
    """Ranks, answers as arrays, and answers with probabilities in a file, in turn."""
    model = task.model
    questions = asked(task.graph)
    probabilities = fit_probabilities(model, threads=THREADS)
    bulk = Bulk(model, questions, np.arange(len(questions)), K, False, probabilities, THREADS)
    with tempfile.TemporaryDirectory() as folder:
        works = {
            "ranking": partial(rank, model, task.graph.test, threads=THREADS),
            "answers": partial(best_new, model, questions, K, threads=THREADS),
            "file": partial(write_answers, bulk, Path(folder, "answers.tsv")),
        }
        for work in works.values():
            work()  # compiles
        seconds: dict[str, list[float]] = {name: [] for name in works}
        for _ in range(rounds):
            for name, work in works.items():
                seconds[name].append(seconds_of(work))
    sides = {name: Side(name, tuple(values)) for name, values in seconds.items()}
    return Point(
        name=str(task),
        unit="s",
        sides=tuple(sides.values()),
        scores=tuple(
            Score(f"of the speed of ranking, {what}", ratios(sides["ranking"], sides[name]), BAR)
            for name, what in (("answers", "as arrays"), ("file", "with probabilities, to a TSV"))
        ),
        notes=(f"{len(questions):,} distinct questions",),
    )


def asked(graph: Graph) -> np.ndarray:
    """What the test split asks, each question once: for heads, then for tails."""
    heads, tails = graph.test.astype(np.int64), graph.test.astype(np.int64)
    heads[:, 0], tails[:, 2] = GAP, GAP
    return np.concatenate([np.unique(heads, axis=0), np.unique(tails, axis=0)])
