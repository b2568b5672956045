"""What an actor does: train a turn, look rows up, count candidates. It keeps nothing of its own.

All that a job needs is in files that every node reaches, and so is all that comes of it. A worker
may end at any moment; another one does its job anew, and on one thread to the same bits.
"""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from transa import __version__
from transa.cluster.files import Catalogue, SharedFiles
from transa.cluster.graph import GraphAt, GraphPart
from transa.cluster.store import Store
from transa.errors import ConfigError
from transa.models.energy import Energy, Parameters
from transa.prepared.order import Turn
from transa.ranking.in_blocks import BlockQuestions
from transa.settings.recipe import Recipe
from transa.training.interrupt import never
from transa.training.partitioned.at_hand import RowsAtHand
from transa.training.partitioned.margins import PartitionedMargins
from transa.training.partitioned.turn import TurnTrainer
from transa.training.rows import blend

COUNTS = "transa.counts"
"""In a file of relations: triples of each that a turn had."""


@dataclass(frozen=True, eq=False)
class Training:
    """What all turns of a run have in common."""

    energy: Energy
    recipe: Recipe
    graph: GraphAt
    store: str
    at_hand: int
    threads: int


@dataclass(frozen=True, eq=False)
class TurnJob:
    """A turn, and where what it needs is.

    Attributes:
        turn: its partitions and buckets.
        epoch: the one that it is of; -1 trains nothing, and measures.
        step: its number in the epoch.
        done: its number in the run.
        first: partitions that no turn of this epoch had before.
        last: partitions that no turn of this epoch has after it.
        measures: whether the next epoch has new margins.
        lr: the rate, which a callback may change.
        parts: the file of each partition that is not as it was drawn.
        relations: the file of the relations.
        margins: what the epoch uses on the mean, and the epoch that they were made for.
        catalogue: where all these are.
    """

    turn: Turn
    epoch: int
    step: int
    done: int
    first: tuple[int, ...]
    last: tuple[int, ...]
    measures: bool
    lr: float
    parts: dict[int, str]
    relations: str
    margins: tuple[float, int]
    catalogue: Catalogue


@dataclass(frozen=True)
class TurnDone:
    """What came of a turn: its loss, the sums of margins, and the files that it wrote."""

    loss: float
    sums: dict[int, float]
    files: Catalogue


class TurnWorker:
    """Trains turns.

    Attributes:
        files: of the run.
    """

    def __init__(self, told: Training) -> None:
        self._told = told
        self._scratch = _scratch_folder()
        self.files = SharedFiles(Store(told.store), self._scratch)
        graph_files = self._scratch / "graph"
        graph_files.mkdir(exist_ok=True)
        self._graph = GraphPart(told.graph, graph_files)
        what = told.energy, told.recipe
        self._margins = PartitionedMargins(*what, self._graph, self.files)
        self._hand = RowsAtHand(*what, self._graph.layout, told.at_hand, self.files)
        self._trainer = TurnTrainer(*what, self._graph, self._hand, self._margins, told.threads)

    def close(self) -> None:
        """Leave nothing on this machine."""
        self._hand.close()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def train(self, job: TurnJob) -> TurnDone:
        """Train a turn."""
        self._bring(job)
        trainer, hand, loss = self._trainer, self._hand, 0.0
        buckets = trainer.buckets_of(job.turn)
        if job.epoch >= 0:
            trainer.begin(job.first)
            loss = trainer.train(buckets, (job.epoch, job.step), never)
        if job.measures:
            trainer.measure(buckets)
        if job.epoch >= 0:
            for partition in hand.place:
                hand.write(partition, job.done)
        for partition in job.last:
            self._finish(partition, job)
        hand.check(wait=True)
        if job.epoch >= 0:
            relations = [arrays["triples"][:, 1] for arrays in buckets.values()]
            n = self._graph.n_relations
            counts = np.bincount(np.concatenate(relations), minlength=n)
            # An inverse has as many as its relation.
            counts = np.tile(counts, self._told.energy.relation_rows(n) // n)
            tables = trainer.relations | trainer.relation_state
            self.files.write_rows(f"turn-{job.step}", {**tables, COUNTS: counts})
        sums = {partition: self._margins.sums[partition] for partition in job.last if job.measures}
        return TurnDone(loss, sums, self.files.hand_in())

    def _bring(self, job: TurnJob) -> None:
        """Have at hand what the job is about, in places that go by its partitions alone."""
        self.files.hand_in()
        self.files.keep(job.catalogue)
        self._trainer.recipe = replace(self._trainer.recipe, lr=job.lr)
        self._margins.restore(*job.margins, {})
        self._hand.named, self._hand.place = dict(job.parts), {}
        for place, partition in enumerate(sorted(job.turn.at_hand)):
            self._hand.put(partition, place)
        tables = self._trainer.relations | self._trainer.relation_state
        for name, array in self.files.read_rows(job.relations).items():
            tables[name][...] = array

    def _finish(self, partition: int, job: TurnJob) -> None:
        """Of a partition whose last turn in this epoch it was: its mean, its margins."""
        rows, told = self._hand.of(partition), self._told
        if job.epoch >= 0 and told.recipe.average:
            entities = [n for n, of in told.energy.tables.items() if of == "entity"]
            mean = {name: rows[name].copy() for name in entities}
            before = f"mean-{partition}.{job.epoch}"
            if job.epoch > 0:
                mean = {n: self.files.read_rows(before)[n].copy() for n in entities}
                blend(mean, {name: rows[name] for name in entities}, job.epoch + 1)
            told.energy.settle(mean | {n: t.copy() for n, t in self._trainer.relations.items()})
            self.files.write_rows(f"mean-{partition}.{job.epoch + 1}", mean)
        if job.measures:
            tables = rows | self._trainer.relations
            self._margins.reduce(partition, tables, job.epoch + 1, told.threads)

    def rows_of(self, name: str, catalogue: Catalogue, places: NDArray[np.int64]) -> Parameters:
        """Some rows of a partition."""
        return {table: rows[places] for table, rows in self._entities(name, catalogue).items()}

    def count(
        self,
        name: str,
        catalogue: Catalogue,
        first: int,
        questions: BlockQuestions,
        others: Parameters,
        asked_of: Parameters,
    ) -> NDArray[np.int64]:
        """How many entities of a partition beat the answers."""
        block = self._entities(name, catalogue) | others
        return questions.count(self._told.energy, block, first, asked_of, self._told.threads)

    def _entities(self, name: str, catalogue: Catalogue) -> Parameters:
        self.files.keep(catalogue)
        rows = self.files.read_rows(name)
        return {n: rows[n] for n, of in self._told.energy.tables.items() if of == "entity"}


class Worker:
    """The actor itself: one piece of work after the other."""

    def __init__(self) -> None:
        self._turns: TurnWorker | None = None

    def begin(self, version: str, told: Training | None) -> int:
        """Be ready; the process that this is.

        Raises:
            ConfigError: if this is another transa than that of whom it works for.
        """
        if version != __version__:
            raise ConfigError(
                f"a node ({platform.node()}) has transa {__version__}, and {version} is wanted: "
                "install the same version everywhere"
            )
        if told is not None:
            self._turns = TurnWorker(told)
        return os.getpid()

    def train(self, job: TurnJob) -> TurnDone:
        """See `TurnWorker.train`."""
        return self._at_turns.train(job)

    def rows_of(self, *asked: object) -> Parameters:
        """See `TurnWorker.rows_of`."""
        return self._at_turns.rows_of(*asked)  # type: ignore[arg-type]

    def count(self, *asked: object) -> NDArray[np.int64]:
        """See `TurnWorker.count`."""
        return self._at_turns.count(*asked)  # type: ignore[arg-type]

    def count_given(
        self,
        energy: Energy,
        block: Parameters,
        first: int,
        threads: int,
        questions: BlockQuestions,
        others: Parameters,
        asked_of: Parameters,
    ) -> NDArray[np.int64]:
        """How many entities of a block, which came with the question, beat the answers."""
        return questions.count(energy, block | others, first, asked_of, threads)

    def end(self) -> None:
        """Leave nothing on this machine."""
        if self._turns is not None:
            self._turns.close()

    @property
    def _at_turns(self) -> TurnWorker:
        assert self._turns is not None  # noqa: S101 (those who train were told what)
        return self._turns


def _scratch_folder() -> Path:
    """A folder for copies; those of workers that were killed are removed."""
    place = Path(tempfile.gettempdir())
    for other in place.glob("transa-worker-*-*"):
        owner = other.name.split("-")[2]
        if owner.isdigit() and not Path(f"/proc/{owner}").exists() and Path("/proc/self").exists():
            shutil.rmtree(other, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"transa-worker-{os.getpid()}-", dir=place))
