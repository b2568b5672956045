"""Graphs larger than memory: what preparing and training them takes, and what it costs in speed.

A generated graph is prepared from a file of labels, in a process of its own, and its peak memory
told. Then the same graph is trained in memory and in eight partitions, epochs in turn, margins
included. The large form (10 M entities, 100 M triples, d 100, 4 GB) takes long and much of a disk,
and is run by itself: ``python -m benchmarks.children benchmarks.works.scale large FOLDER``.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np

from benchmarks.children import OwnMemory, in_own_process
from benchmarks.machine import THREADS
from benchmarks.power_law import write_power_law
from benchmarks.records import Point, Score, Side, ratios
from transa.graph import Graph
from transa.prepared.graph import PreparedGraph
from transa.prepared.memory import bytes_of
from transa.prepared.order import fewest_reads, reads, turns
from transa.prepared.prepare import Plan, prepare
from transa.settings.config import Settings, make_settings
from transa.training.loop import Run
from transa.training.partitioned.checks import partitions_at_hand, row_bytes
from transa.training.partitioned.run import PartitionedRun

TITLE = f"A power-law graph in 8 partitions, TransA, d 100, {THREADS} threads"
PEERS = False
BAR, READS_BAR = 0.70, 1.10
DIM, PARTITIONS = 100, 8


def points(_: list[ModuleType], quick: bool) -> Iterator[Point]:
    """1 M entities and 10 M triples; a tenth of it for a look."""
    triples = 10**6 if quick else 10**7
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write_power_law(place / "graph.tsv", triples, triples // 10)
        found = in_own_process(__name__, "prepared", place, PARTITIONS)
        own = Score("MB of its own", (found["own_mb"],), 4000.0, "at most")
        seconds = Side("transa", (found["seconds"],))
        yield Point(f"preparing {triples:,} labelled triples", "s", (seconds,), (own,))
        graph = PreparedGraph(place / "prepared")
        for at_hand in (2, PARTITIONS // 2 + 1):
            yield compare(graph, at_hand, place / "work", rounds=2 if quick else 3)


def compare(graph: PreparedGraph, at_hand: int, work: Path, rounds: int) -> Point:
    """An epoch in memory and one in partitions, in turn."""
    settings = settings_of()
    in_memory = Graph(graph.train, graph.entities, graph.relations)
    whole = Run(settings.energy, settings.recipe, in_memory, None)
    parts = PartitionedRun(settings.energy, settings.recipe, graph, work, at_hand)
    parts.begin()
    # Compiled, and past the round that measures before the first epoch.
    whole.one_epoch()
    parts.one_epoch()
    rates: dict[str, list[float]] = {"in memory": [], "in partitions": []}
    for _ in range(rounds):
        for who, run in (("in memory", whole), ("in partitions", parts)):
            began = time.perf_counter()
            run.one_epoch()
            rates[who].append(graph.record.train / (time.perf_counter() - began) / 1e6)
    parts.hand.close()
    sides = {who: Side(who, tuple(values)) for who, values in rates.items()}
    order = turns(PARTITIONS, at_hand, np.random.default_rng(0))
    of_memory = ratios(sides["in partitions"], sides["in memory"])
    share = reads(order) / fewest_reads(PARTITIONS, at_hand)
    return Point(
        name=f"{graph.record.train:,} triples, {at_hand} of {PARTITIONS} partitions in memory",
        unit="M triples/s",
        sides=tuple(sides.values()),
        scores=(
            Score("of the speed in memory", of_memory, BAR),
            Score("reads, times the fewest there can be", (share,), READS_BAR, "at most"),
        ),
    )


def settings_of() -> Settings:
    """The defaults with the dimension of the bar, and no looks at validation."""
    return make_settings("transa", dim=DIM, epochs=10**6, validate_every=0)


def prepared(place: str, partitions: str) -> dict[str, float]:
    """Prepare the file in that place; the process's own memory at most."""
    own = OwnMemory()
    prepare(Path(place) / "graph.tsv", Path(place) / "prepared", Plan(int(partitions)))
    return {"own_mb": own.stop() / 1e6}


def large(
    place: str, entities: str = "10000000", triples: str = "100000000", memory: str = "4GB"
) -> dict[str, float]:
    """Generate, prepare within the memory, train an epoch within it; each step's figures."""
    folder = Path(place)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "graph.tsv"
    if not file.exists():
        write_power_law(file, int(triples), int(entities))
    first = in_own_process(__name__, "prepared_within", folder, memory)
    then = in_own_process(__name__, "trained_within", folder, memory)
    return {
        "prepare_seconds": first["seconds"],
        "prepare_own_mb": first["own_mb"],
        "partitions": first["partitions"],
        "epoch_seconds": then["epoch_seconds"],
        "at_hand": then["at_hand"],
        "train_own_mb": then["own_mb"],
    }


def prepared_within(place: str, memory: str) -> dict[str, float]:
    """Prepare for so much memory."""
    own, settings = OwnMemory(), settings_of()
    plan = Plan(memory=bytes_of(memory), row_bytes=row_bytes(settings.energy, settings.recipe))
    graph = prepare(Path(place) / "graph.tsv", Path(place) / "prepared", plan)
    return {"own_mb": own.stop() / 1e6, "partitions": graph.layout.partitions}


def trained_within(place: str, memory: str) -> dict[str, float]:
    """Train the round before the first epoch and one epoch, in so much memory."""
    own, settings = OwnMemory(), settings_of()
    graph = PreparedGraph(Path(place) / "prepared")
    how = settings.energy, settings.recipe
    at_hand = partitions_at_hand(*how, graph, bytes_of(memory))
    work = Path(place) / "work"
    shutil.rmtree(work, ignore_errors=True)
    run = PartitionedRun(*how, graph, work, at_hand)
    run.begin()
    report = run.one_epoch()
    run.hand.close()
    shutil.rmtree(work)
    return {"own_mb": own.stop() / 1e6, "at_hand": at_hand, "epoch_seconds": report.seconds}
