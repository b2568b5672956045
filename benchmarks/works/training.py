"""A TransE step beside the peers' best batch size: positives a second.

Everyone trains on the same graph from fresh vectors. Ours draws the corruptions of 64 triples from
a small pool that is drawn for them, the peers draw each by itself. A peer trains on a sample of the
triples, among all entities: its time a triple does not depend on how many follow.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from types import ModuleType

import numpy as np

from benchmarks.contestants import ours
from benchmarks.machine import THREADS
from benchmarks.records import Point, Score, Side, ratios
from benchmarks.tasks import GRAPHS, TrainingPass, TrainingTask
from transa import datasets
from transa.graph import Triples

TITLE = f"TransE, hinge, SGD, {THREADS} threads: positives a second"
PEERS = True
BAR = 12.0

# Triples that a peer trains on twice in a round, by negatives: some four batches of the largest
# size, about a quarter of a second's work.
SAMPLE = {1: 65_536, 16: 16_384}


def points(peers: list[ModuleType], quick: bool) -> Iterator[Point]:
    """All graphs, norms, dimensions and numbers of negatives."""
    for name in ("fb15k",) if quick else GRAPHS:
        graph = datasets.load(name)
        for norm, dim, negatives in product(
            ("l1", "l2"), (100,) if quick else (50, 100, 200), (1, 16)
        ):
            task = TrainingTask(graph, norm, dim, negatives, THREADS)
            yield compare(task, peers, rounds=2 if quick else 5)


def compare(task: TrainingTask, peers: list[ModuleType], rounds: int) -> Point:
    """Everyone in turn, round by round."""
    trainer = ours.Trainer(task)
    triples = sample(task)
    best = {peer: best_batch(peer, task, triples) for peer in peers}
    passes: dict[str, list[TrainingPass]] = {who.NAME: [] for who in (ours, *peers)}
    for _ in range(rounds):
        passes[ours.NAME].append(trainer.train())
        for peer in peers:
            passes[peer.NAME].append(peer.train(task, best[peer], triples))
    own = Side(ours.NAME, millions(passes[ours.NAME]))
    others = [
        Side(peer.NAME, millions(passes[peer.NAME]), f"batch {best[peer]:,}") for peer in peers
    ]
    return Point(
        name=str(task),
        unit="M/s",
        sides=(own, *others),
        scores=tuple(Score(f"times {other.name}", ratios(own, other), BAR) for other in others),
        notes=(
            f"peers: {len(triples):,} of {len(task.graph.train):,} triples",
            *(f"{who} did not learn" for who, done in passes.items() if not learnt(done)),
        ),
    )


def millions(passes: list[TrainingPass]) -> tuple[float, ...]:
    """Million positives a second, pass by pass."""
    return tuple(done.rate / 1e6 for done in passes)


def learnt(passes: list[TrainingPass]) -> bool:
    """Whether the loss fell in every pass."""
    return all(done.learnt for done in passes)


def sample(task: TrainingTask) -> Triples:
    """The triples that peers train on."""
    train = task.graph.train
    size = min(len(train), SAMPLE[task.negatives])
    return train[np.random.default_rng(0).choice(len(train), size, replace=False)]


def best_batch(peer: ModuleType, task: TrainingTask, triples: Triples) -> int:
    """The fastest of the peer's batch sizes."""
    rates = {batch: peer.train(task, batch, triples).rate for batch in peer.BATCHES[task.negatives]}
    return max(rates, key=rates.__getitem__)
