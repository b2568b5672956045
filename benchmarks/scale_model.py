"""Graphs past this machine, in simulation: what training them would take of hours, bytes and money.

``python -m benchmarks.scale_model`` measures the constants here, holds the simulation against real
runs, and then prints one table; ``--write`` puts it into docs/scale.md.

What is simulated, event by event, is what `transa.training.partitioned` does: turns in their order,
the thread that reads and writes, the few partitions that may be on their way, the cores that ask,
train, measure neighbours and blend means. Several machines are simulated by the rounds of
`transa.prepared.order`: groups of partitions that are disjoint are trained side by side, and what
is not at hand comes from storage that all reach, through each machine's own network.

What is assumed, and not measured: that twice the cores are `EFFICIENCY` times twice as fast, and
what `Kind` says of a machine.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import simpy

from benchmarks.machine import THREADS
from benchmarks.power_law import write_power_law
from benchmarks.scale_constants import Costs, epoch_of, measured
from transa.prepared.layout import Layout
from transa.prepared.memory import AT_HAND, MOST_PARTITIONS, SPARE, choose_layout, needed
from transa.prepared.order import Turn, rounds, turns
from transa.prepared.prepare import Plan, prepare
from transa.settings.by_size import GraphSize, settings_for
from transa.settings.config import Settings
from transa.training.partitioned.run import SAVE_EVERY

# What is left of a core's speed each time that cores double: memory is shared.
EFFICIENCY = 0.85
# Of a graph of this size, by the rule in settings/by_size.py.
EPOCHS = 15
DOCS = Path(__file__).parents[1] / "docs" / "scale.md"
BEGIN, END = "<!-- simulated -->", "<!-- end -->"
# Partitions, and how many of them are at hand.
CHECKED = ((1, 1), (2, 2), (4, 2), (8, 4))


@dataclass(frozen=True)
class Job:
    """A graph, and how it is trained.

    Attributes:
        name: of the graph.
        entities: how many.
        triples: how many, inverses not counted.
        dim: of the vectors.
        ways: how often a triple is trained on in an epoch: 2 with inverse relations.
    """

    name: str
    entities: int
    triples: int
    dim: int
    ways: int = 2

    @property
    def row_bytes(self) -> int:
        """Of a vector and what Adagrad keeps of it."""
        return 4 * (self.dim + 1)


@dataclass(frozen=True)
class Kind:
    """A kind of machine.

    Attributes:
        name: what it is called.
        cores: that train.
        memory: bytes that a run may take.
        read: bytes a second from disk.
        write: bytes a second to disk.
        network: bytes a second, each way.
        dollars: for an hour.
    """

    name: str
    cores: int
    memory: int
    read: float
    write: float
    network: float
    dollars: float


STATED = Kind("16 cores, 64 GB, NVMe, 10 Gbit/s", 16, 56 * 10**9, 2e9, 1e9, 1.25e9, 0.80)
JOBS = [
    Job(f"{name}, d {dim}", entities, triples, dim)
    for name, entities, triples in (
        ("Freebase-86m", 86_054_151, 338_586_276),
        ("Freebase", 68_000_000, 1_000_000_000),
        ("Wikidata", 100_000_000, 1_500_000_000),
    )
    for dim in (100, 400)
]


@dataclass
class Told:
    """What a simulation came to: seconds of an epoch, and bytes read and written or sent."""

    seconds: float = 0.0
    moved: float = 0.0


class Machine:
    """The trainer and the thread for files of one machine, as processes of a simulation."""

    def __init__(
        self, env: simpy.Environment, job: Job, layout: Layout, costs: Costs, told: Told
    ) -> None:
        self.env, self.job, self.layout, self.costs, self.told = env, job, layout, costs, told
        self.disk = simpy.Resource(env, 1)
        self.spare = simpy.Resource(env, SPARE)
        self.at_hand: frozenset[int] = frozenset()
        self.coming: dict[int, simpy.Process] = {}
        self.going: list[simpy.Process] = []
        self.saved = 0.0

    def size(self, partition: int) -> float:
        """Bytes of a partition."""
        return float(self.layout.size(partition) * self.job.row_bytes)

    def triples(self, turn: Turn) -> float:
        """Triples of a turn's buckets: a share of all, entities being in a random order."""
        parts = self.layout.partitions
        each = self.job.triples / parts**2
        return each * sum(1 if low == high else 2 for low, high in turn.buckets)

    def _transfer(self, partition: int, rate: float) -> Generator[simpy.Event, None, None]:
        with self.disk.request() as turn:
            yield turn
            yield self.env.timeout(self.size(partition) * rate)
        self.told.moved += self.size(partition)

    def _fetch(self, partition: int) -> Generator[simpy.Event, None, simpy.resources.base.Put]:
        spare = self.spare.request()
        yield spare
        yield from self._transfer(partition, self.costs.read)
        return spare

    def _store(self, partition: int, spare: simpy.Event) -> Generator[simpy.Event, None, None]:
        yield from self._transfer(partition, self.costs.write)
        self.spare.release(spare)

    def _leave(self, partition: int) -> Generator[simpy.Event, None, None]:
        spare = self.spare.request()
        yield spare
        yield self.env.timeout(self.size(partition) * self.costs.copy)
        self.going.append(self.env.process(self._store(partition, spare)))

    def fetch(self, partitions: frozenset[int]) -> None:
        """Begin to read what is not at hand."""
        for partition in sorted(partitions - self.at_hand - self.coming.keys()):
            self.coming[partition] = self.env.process(self._fetch(partition))

    def turn(
        self, turn: Turn, following: Sequence[Turn], finished: int
    ) -> Generator[simpy.Event, None, None]:
        """One turn: what comes, its training, and what goes."""
        self.fetch(turn.at_hand)
        for partition in sorted(turn.at_hand - self.at_hand):
            spare = yield self.coming.pop(partition)
            yield self.env.timeout(self.size(partition) * self.costs.copy)
            self.spare.release(spare)
        self.at_hand = turn.at_hand
        if following:
            self.fetch(following[0].at_hand)
        asked, each = self.triples(turn) * self.job.ways, self.costs.ask + self.costs.train
        yield self.env.timeout(asked * each + self.costs.overhead)
        blended = finished * self.layout.rows * 4 * self.job.dim
        yield self.env.timeout(blended * self.costs.blend)
        self.told.moved += blended * 2
        save = self.env.now - self.saved > SAVE_EVERY
        for partition in sorted(turn.at_hand):
            if following and (save or partition not in following[0].at_hand):
                yield from self._leave(partition)
        if save:
            self.saved = self.env.now

    def end(self) -> Generator[simpy.Event, None, None]:
        """All that is at hand is written, and waited for."""
        for partition in sorted(self.at_hand):
            yield from self._leave(partition)
        yield self.env.all_of(self.going)

    def epoch(self, order: Sequence[Turn]) -> Generator[simpy.Event, None, None]:
        """All turns, one after the other; what is at hand is saved now and then."""
        for step, turn in enumerate(order):
            left = {p for later in order[step + 1 :] for pair in later.buckets for p in pair}
            finished = len({p for pair in turn.buckets for p in pair} - left)
            yield from self.turn(turn, order[step + 1 : step + 2], finished)
        yield from self.end()

    def share(self, some: Sequence[Turn], last: bool) -> Generator[simpy.Event, None, None]:
        """What a machine does of a round: what it trains goes to where all can have it."""
        for turn in some:
            yield from self.turn(turn, (), len(turn.at_hand) if last else 0)
            yield from self.end()
            self.at_hand, self.going = frozenset(), []


def one_machine(job: Job, layout: Layout, at_hand: int, costs: Costs) -> Told:
    """An epoch of a run that has begun: what it begins with is at hand."""
    env, told = simpy.Environment(), Told()
    machine = Machine(env, job, layout, costs, told)
    order = turns(layout.partitions, at_hand, np.random.default_rng(0))
    machine.at_hand = order[0].at_hand
    env.run(env.process(machine.epoch(order)))
    told.seconds = env.now
    return told


def many_machines(job: Job, layout: Layout, at_hand: int, machines: int, costs: Costs) -> Told:
    """An epoch in rounds: in each, every machine trains what no other has at hand.

    What was trained goes to storage, and the next round begins when all of it is there.
    """
    env, told = simpy.Environment(), Told()
    hands = [Machine(env, job, layout, costs, told) for _ in range(machines)]
    schedule = rounds(layout.partitions, at_hand, np.random.default_rng(0))
    for n, round_ in enumerate(schedule):
        last = n == len(schedule) - 1
        each = [env.process(hand.share(round_[i::machines], last)) for i, hand in enumerate(hands)]
        env.run(env.all_of(each))
    told.seconds = env.now
    return told


def layout_for(job: Job, kind: Kind, machines: int) -> tuple[Layout, int]:
    """Partitions that leave room, and give every machine some; how many it has at hand."""
    triples = job.triples * job.ways
    if machines == 1:
        layout = choose_layout(job.entities, triples, job.row_bytes, kind.memory)
        return layout, min(AT_HAND, layout.partitions)
    for partitions in range(AT_HAND * machines, MOST_PARTITIONS + 1, AT_HAND * machines):
        layout = Layout.of(job.entities, partitions)
        if needed(layout, AT_HAND, triples, job.row_bytes) <= kind.memory:
            break
    return layout, AT_HAND


def costs_on(kind: Kind, here: Costs, cores: int, machines: int) -> Costs:
    """The constants of another kind of machine; files of several come through the network."""
    faster = (1 / EFFICIENCY) ** np.log2(kind.cores / cores) * cores / kind.cores
    shared = machines > 1
    return replace(
        here,
        ask=here.ask * faster,
        train=here.train * faster,
        read=1 / (min(kind.read, kind.network) if shared else kind.read),
        write=1 / (min(kind.write, kind.network) if shared else kind.write),
    )


def checks(
    folder: Path, triples: int, dim: int, costs: Costs
) -> Iterator[tuple[str, float, float]]:
    """Real epochs here, and what the simulation says of them."""
    settings = settings_of(triples, dim)
    for partitions, at_hand in CHECKED:
        graph = prepare(
            folder / "graph.tsv",
            folder / f"in-{partitions}",
            Plan(partitions=partitions, held_out=0),
        )
        job = Job("here", graph.n_entities, graph.record.train, dim)
        real = epoch_of(graph, settings, folder / f"work-{partitions}", at_hand)
        said = one_machine(job, graph.layout, at_hand, costs).seconds
        yield f"{partitions} partitions, {at_hand} at hand", real, said


def settings_of(triples: int, dim: int) -> Settings:
    """The defaults of such a graph, without looks at validation."""
    options = {"dim": dim, "epochs": 10**6, "validate_every": 0, "threads": THREADS}
    return settings_for("transe", options, GraphSize(triples, triples // 10)).settings


def table(here: dict[int, Costs], kind: Kind, machines: Sequence[int]) -> Iterator[str]:
    """Lines of Markdown: every job on every number of machines."""
    yield "| graph | machines | partitions | hours an epoch | hours | TB moved | dollars |"
    yield "|---|---|---|---|---|---|---|"
    for job in JOBS:
        for count in machines:
            layout, at_hand = layout_for(job, kind, count)
            costs = costs_on(kind, here[job.dim], THREADS, count)
            told = (
                one_machine(job, layout, at_hand, costs)
                if count == 1
                else many_machines(job, layout, at_hand, count, costs)
            )
            hours = told.seconds / 3600
            yield (
                f"| {job.name} | {count} | {layout.partitions} | {hours:.2f} | "
                f"{hours * EPOCHS:,.1f} | {told.moved * EPOCHS / 1e12:,.1f} | "
                f"{hours * EPOCHS * count * kind.dollars:,.0f} |"
            )


def main() -> None:
    """Measure, check, print; with ``--write`` into the documentation."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale_model", description=__doc__)
    parser.add_argument("--triples", type=int, default=10**6, help="of the graph measured on")
    parser.add_argument("--dollars", type=float, default=STATED.dollars, help="a machine's hour")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/scale.md")
    arguments = parser.parse_args()
    lines = list(report(arguments.triples, replace(STATED, dollars=arguments.dollars)))
    if arguments.write:
        text = DOCS.read_text(encoding="utf-8")
        before, after = text.partition(BEGIN)[0], text.partition(END)[2]
        DOCS.write_text(before + "\n".join([BEGIN, "", *lines, "", END]) + after, encoding="utf-8")


def report(triples: int, kind: Kind) -> Iterator[str]:
    """All lines, printed as they come."""
    for line in _lines(triples, kind):
        print(line, flush=True)
        yield line


def _lines(triples: int, kind: Kind) -> Iterator[str]:
    here = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_power_law(folder / "graph.tsv", triples, triples // 10)
        for dim in sorted({job.dim for job in JOBS}):
            (folder / str(dim)).mkdir()
            settings = settings_of(triples, dim)
            here[dim] = measured(folder / "graph.tsv", settings, folder / str(dim))
            rate = 1e-6 / (here[dim].ask + here[dim].train)
            yield f"Measured here, d {dim}, {THREADS} threads: {rate:.2f} M triples/s at hand."
            yield ""
        yield f"| an epoch of {triples:,} triples here, d 100 | real s | simulated s | off by |"
        yield "|---|---|---|---|"
        for name, real, said in checks(folder, triples, 100, here[100]):
            yield f"| {name} | {real:.2f} | {said:.2f} | {said / real - 1:+.0%} |"
    yield ""
    yield (
        f"Simulated, {EPOCHS} epochs, on machines of {kind.name}, ${kind.dollars:.2f} an hour; "
        f"each doubling of cores taken to bring {EFFICIENCY:.0%} of twice the speed:"
    )
    yield ""
    yield from table(here, kind, (1, 8, 64))


if __name__ == "__main__":
    main()
