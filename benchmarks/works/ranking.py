"""Filtered ranks of the whole test split, all entities, both sides, beside the peers.

The same vectors go into all. We rank the whole split, raw ranks and all breakdowns included; a peer
ranks a sample, on which its ranks must be ours, and its time, less what it takes to set out, is
scaled to the whole.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from types import ModuleType

from benchmarks.contestants import ours
from benchmarks.machine import THREADS
from benchmarks.records import Point, Score, Side, ratios
from benchmarks.tasks import GRAPHS, Ranker, RankingTask, rounded_vectors
from transa import datasets

TITLE = f"Filtered ranking of the test split, d 100, {THREADS} threads: seconds"
PEERS = True
BARS = {"PyKEEN": 60.0, "TorchKGE": 30.0}
DIM = 100
# Triples that a peer ranks: a few seconds' work.
SAMPLE = {"fb15k": 96, "wn18": 48}


def points(peers: list[ModuleType], quick: bool) -> Iterator[Point]:
    """Both graphs in both norms."""
    for name, norm in product(("wn18",) if quick else GRAPHS, ("l1", "l2")):
        graph = datasets.load(name)
        task = RankingTask(graph, norm, rounded_vectors(graph, DIM), THREADS)
        yield compare(task, peers, SAMPLE[name], rounds=2 if quick else 5)


def compare(task: RankingTask, peers: list[ModuleType], size: int, rounds: int) -> Point:
    """Everyone in turn, round by round."""
    ours.rank_all(task)  # compiles
    peers, differing = agreeing(task, peers, size)
    best = {peer: best_batch(peer, task, size) for peer in peers}
    rankers = {peer: peer.ranker(task, batch) for peer, batch in best.items()}
    seconds: dict[str, list[float]] = {ours.NAME: []} | {peer.NAME: [] for peer in peers}
    for _ in range(rounds):
        seconds[ours.NAME].append(seconds_of(partial(ours.rank_all, task)))
        for peer in peers:
            seconds[peer.NAME].append(scaled(task, rankers[peer], size))
    own = Side(ours.NAME, tuple(seconds[ours.NAME]))
    others = [Side(peer.NAME, tuple(seconds[peer.NAME]), f"batch {best[peer]}") for peer in peers]
    return Point(
        name=str(task),
        unit="s",
        sides=(own, *others),
        scores=tuple(
            Score(f"times {other.name}", ratios(other, own), BARS[other.name]) for other in others
        ),
        notes=(
            f"{len(task.graph.test):,} triples; peers rank {size} of them, on which all ranks "
            "agree, and are scaled",
            *differing,
        ),
    )


def agreeing(
    task: RankingTask, peers: list[ModuleType], size: int
) -> tuple[list[ModuleType], list[str]]:
    """The peers whose ranks are ours, and a sentence on each whose are not."""
    triples = task.sample(size)
    agree, sentences = [], []
    for peer in peers:
        ranker = peer.ranker(task, peer.RANKING_BATCHES[0])
        try:
            peer.check_ranks(task, ranker(triples), triples)
        except AssertionError as difference:
            sentences.append(f"{peer.NAME} is left out, for its ranks differ: {difference}")
        else:
            agree.append(peer)
    return agree, sentences


def best_batch(peer: ModuleType, task: RankingTask, size: int) -> int:
    """The fastest of the peer's batch sizes."""
    seconds = {
        batch: scaled(task, peer.ranker(task, batch), size) for batch in peer.RANKING_BATCHES
    }
    return min(seconds, key=seconds.__getitem__)


def scaled(task: RankingTask, ranker: Ranker, size: int) -> float:
    """The seconds of the whole split, from those of one triple and of a sample."""
    triples = task.sample(size)
    setting_out = seconds_of(partial(ranker, triples[:1]))
    on_sample = seconds_of(partial(ranker, triples))
    each = (on_sample - setting_out) / (size - 1)
    return setting_out + each * (len(task.graph.test) - 1)


def seconds_of(work: Callable[[], object]) -> float:
    """How long it takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
