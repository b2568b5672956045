"""What training in partitions takes here, by the piece: the constants of `benchmarks.scale_model`.

Each is measured by itself, by the very functions that a run calls; whole runs are only compared to.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from transa.graph import Graph
from transa.prepared.graph import PreparedGraph
from transa.prepared.prepare import Plan, prepare
from transa.settings.config import Settings
from transa.training.loop import Run
from transa.training.partitioned.files import RunFiles
from transa.training.partitioned.run import PartitionedRun

_BYTES = 1 << 27
_ROUNDS = 3


@dataclass(frozen=True)
class Costs:
    """Seconds.

    Attributes:
        ask: for a triple, to see what is known of it.
        train: for a triple, on all cores.
        copy: for a byte, in memory.
        read: for a byte that comes from a file, its checksum looked at.
        write: for a byte that goes to one.
        blend: for a byte of a table that enters its mean.
        overhead: of a turn, however small.
    """

    ask: float
    train: float
    copy: float
    read: float
    write: float
    blend: float
    overhead: float


def measured(source: Path, settings: Settings, folder: Path) -> Costs:
    """All of them, on a file of triples; a graph in one partition stands for what is at hand."""
    graph = prepare(source, folder / "one", Plan(partitions=1, held_out=0))
    return Costs(
        ask=_asking(graph, settings, folder),
        train=_training(graph, settings),
        copy=_seconds(_copying()) / _BYTES,
        read=_seconds(_reading(folder)) / _BYTES,
        write=_seconds(_writing(folder)) / _BYTES,
        blend=_blending(graph, settings, folder),
        overhead=_overhead(settings, folder),
    )


def epoch_of(graph: PreparedGraph, settings: Settings, folder: Path, at_hand: int) -> float:
    """Seconds of an epoch that is not the first, the middle one of some."""
    run = PartitionedRun(settings.energy, settings.recipe, graph, folder, at_hand)
    run.begin()
    run.one_epoch()
    found = []
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        run.one_epoch()
        found.append(time.perf_counter() - began)
    run.hand.close()
    return statistics.median(found)


def _seconds(work: Callable[[], object]) -> float:
    """The middle of some rounds, after one that does not count."""
    work()
    found = []
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return statistics.median(found)


def _asking(graph: PreparedGraph, settings: Settings, folder: Path) -> float:
    run = PartitionedRun(settings.energy, settings.recipe, graph, folder / "asking", 1)
    run.hand.bring([0])
    buckets = run.trainer.buckets_of(run.order[0])
    found = _seconds(lambda: run.trainer.questions.ask(run.hand, buckets, run.threads))
    run.hand.close()
    return found / run.n_triples


def _training(graph: PreparedGraph, settings: Settings) -> float:
    """In memory, without its mean, whose blending has a figure of its own."""
    from dataclasses import replace

    in_memory = Graph(graph.train, graph.entities, graph.relations)
    recipe = replace(settings.recipe, average=False)
    run = Run(settings.energy, recipe, in_memory, None)
    return _seconds(run.one_epoch) / run.n_triples


def _copying() -> Callable[[], object]:
    one, other = (np.ones(_BYTES // 4, np.float32) for _ in range(2))
    return lambda: np.copyto(one, other)


def _writing(folder: Path) -> Callable[[], object]:
    files, rows = RunFiles(folder), np.ones((_BYTES // 400, 100), np.float32)
    return lambda: files.write_rows("rows.0", {"entity": rows})


def _reading(folder: Path) -> Callable[[], object]:
    files, rows = RunFiles(folder), np.ones((_BYTES // 400, 100), np.float32)
    files.write_rows("rows.1", {"entity": rows})
    return lambda: np.copyto(rows, files.read_rows("rows.1")["entity"])


def _blending(graph: PreparedGraph, settings: Settings, folder: Path) -> float:
    run = PartitionedRun(settings.energy, settings.recipe, graph, folder / "blending", 1)
    run.begin()
    rows = {name: table.copy() for name, table in run.rows.mean.items()}
    run.rows.current = 0
    found = _seconds(lambda: run.rows.enter(0, rows, 2))
    run.hand.close()
    return found / rows["entity"].nbytes


def _overhead(settings: Settings, folder: Path) -> float:
    """What is left where there is next to nothing to do."""
    source = folder / "few.tsv"
    source.write_text("".join(f"e{n}\tr\te{n + 1}\n" for n in range(40)))
    graph = prepare(source, folder / "few", Plan(partitions=8, held_out=0))
    run = PartitionedRun(settings.energy, settings.recipe, graph, folder / "few-work", 4)
    run.begin()
    found = _seconds(run.one_epoch) / len(run.order)
    run.hand.close()
    return found
