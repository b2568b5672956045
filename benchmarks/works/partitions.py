"""What partitions cost in quality: the same graph, settings and seeds, in memory and in parts.

Settings are the defaults, chosen by size. Three seeds of each; a ratio is of one seed's ranks to
the same seed's in memory. FB15K takes longer than a work is given: ``python -m benchmarks --alone
partitions`` has no limit, and ``--quick`` leaves it out.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from benchmarks.machine import THREADS
from benchmarks.records import Point, Score, Side
from transa.datasets.sources import load_graph
from transa.estimator import Estimator
from transa.prepared.prepare import Plan, prepare

TITLE = f"Ranks of what was trained in partitions, against training in memory, {THREADS} threads"
PEERS = False
MRR_BAR, MEAN_RANK_BAR = 0.99, 1.03
PARTITIONS, SEEDS = (4, 8), (0, 1, 2)


def points(_: list[ModuleType], quick: bool) -> Iterator[Point]:
    """CoDEx-S, then FB15K."""
    for name in ("codex-s",) if quick else ("codex-s", "fb15k"):
        graph = load_graph(name)
        whole = [ranks(graph, seed) for seed in SEEDS]
        for partitions in PARTITIONS:
            with tempfile.TemporaryDirectory() as folder:
                prepare(graph, Path(folder) / "prepared", Plan(partitions=partitions))
                parts = [
                    ranks(Path(folder) / "prepared", seed, partitions // 2 + 1) for seed in SEEDS
                ]
            yield compared(f"{name}, {partitions // 2 + 1} of {partitions} at hand", whole, parts)


def ranks(graph: object, seed: int, at_hand: int | None = None) -> tuple[float, float]:
    """MRR and mean rank on the test split, filtered."""
    model = Estimator("transe", seed=seed, threads=THREADS).fit(graph, at_hand=at_hand)
    found = model.evaluate(threads=THREADS).filtered
    return found.mrr, found.mr


def compared(
    name: str, whole: list[tuple[float, float]], parts: list[tuple[float, float]]
) -> Point:
    """One graph in so many partitions."""
    by_seed = zip(parts, whole, strict=True)
    mrr, mean_rank = zip(*((p[0] / w[0], p[1] / w[1]) for p, w in by_seed), strict=True)
    sides = (("in memory", whole), ("in partitions", parts))
    return Point(
        name=name,
        unit="MRR",
        sides=tuple(Side(who, tuple(mrr for mrr, _ in found)) for who, found in sides),
        scores=(
            Score("MRR, of that in memory", mrr, MRR_BAR),
            Score("mean rank, of that in memory", mean_rank, MEAN_RANK_BAR, "at most"),
        ),
    )
