"""The training loop on a cluster: rounds of turns, each of which a worker does by itself.

    part-P.N            rows of partition P and what the optimiser keeps of them, after N turns
    turn-S              relations as turn S of a round left them
    relations.N         their mean after a round, N turns after the beginning
    mean-P.E, mean.E    the mean of partition P, and of the relations, after E epochs
    distances-A-B, margins-P.E      see `transa.training.partitioned`
    cluster.json        which of them belong together

No two turns of a round share a partition. What a turn does depends on the files that it is given
and on its number, so that it does not matter who does it, when, or for which time: on one thread a
worker, a run comes to the same bits on one node and on many, whatever happened on the way.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from transa.cluster.connecting import (
    check_nodes,
    check_room,
    connected,
    memory_of_workers,
    threads_of,
)
from transa.cluster.files import SharedFiles
from transa.cluster.graph import graph_at
from transa.cluster.models import ClusterModels, Names
from transa.cluster.pool import Job, Pool
from transa.cluster.progress import Progress
from transa.cluster.ranking import pool_of, ranks_of_parts
from transa.cluster.relations import averaged
from transa.cluster.store import Store
from transa.cluster.worker import COUNTS, Training, TurnDone, TurnJob
from transa.errors import ConfigError, StoreError
from transa.files.whole import told_as_sentence
from transa.kernels.threads import thread_count
from transa.models.energy import Energy, Parameters
from transa.prepared.buckets import buckets_of
from transa.prepared.graph import PreparedGraph
from transa.prepared.memory import AT_HAND, needed
from transa.prepared.order import Turn, rounds
from transa.ranking import Metrics
from transa.ranking.in_blocks import BlockQuestions, is_exact_in_blocks
from transa.settings.recipe import Recipe
from transa.storage.record import EpochReport
from transa.training.callbacks import Callback, EachEpoch
from transa.training.gamma import with_external_radius
from transa.training.interrupt import StopAsked, StopRequestedError
from transa.training.loop import Run, Trained
from transa.training.memory import check_negatives
from transa.training.partitioned.at_hand import draw_rows
from transa.training.partitioned.checks import check_settings, fingerprint, row_bytes, triples_of
from transa.training.partitioned.margins import PartitionedMargins
from transa.training.partitioned.turn import fresh_relations
from transa.training.rows import blend
from transa.training.validation import Validator, sample_of


def train_on_cluster(
    energy: Energy,
    recipe: Recipe,
    graph: PreparedGraph,
    work: Path,
    address: str,
    *,
    storage: str | None = None,
    memory: int | None = None,
    at_hand: int | None = None,
    resume: bool = False,
    log: Path | None = None,
    report: Callable[[EpochReport], None] | None = None,
    callbacks: Sequence[Callback | EachEpoch] = (),
) -> Trained:
    """Train on a prepared graph, on many machines; see `transa.training.loop.train`.

    Args:
        energy: the model.
        recipe: how to train it; `threads` are those of a worker, 0 all of the smallest node.
        graph: what to train it on.
        work: a folder of this machine, for the finished model.
        address: of a cluster of Ray's; `local` starts one on this machine, `auto` finds one.
        storage: what all nodes reach: a folder, or an address of fsspec; `work`, unless told.
        memory: bytes that a worker may take; its share of the smallest node, unless told.
        at_hand: partitions of a turn; four, or two of few partitions, unless told.
        resume: go on from the storage.
        log: file that receives a line of JSON for every epoch.
        report: called after every epoch.
        callbacks: told of the run, and asked what to do.
    """
    check_settings(energy, recipe)
    check_negatives(energy, recipe, graph)
    store = Store(str(work.resolve()) if storage is None else storage)
    if not resume and store.has(Progress.FILE):
        raise StoreError(
            f"{store} holds a run that was stopped; --resume goes on with it, to begin anew remove "
            "it"
        )
    with connected(address):
        folders = () if store.folder is None else (str(graph.folder.resolve()),)
        check_nodes(store, folders)
        threads, at_hand = threads_of(recipe.threads), _at_hand(graph, at_hand)
        triples, row = triples_of(energy, graph), row_bytes(energy, recipe)
        takes = needed(graph.layout, at_hand, triples, row)
        check_room(takes, memory_of_workers(threads) if memory is None else memory)
        run = ClusterRun(energy, recipe, graph, work, store, at_hand)
        if resume:
            run.restore()
        else:
            run.begin()
        run.pool = pool_of(run.training(threads), threads, run.most_at_once, takes)
        try:
            return run.until_done(log, report, callbacks)
        finally:
            run.pool.close()


def _at_hand(graph: PreparedGraph, asked: int | None) -> int:
    """Partitions of a turn. Not by how many nodes there are: what is learnt does not depend on it.

    Raises:
        ConfigError: if it is no number of partitions that a turn can have.
    """
    partitions = graph.layout.partitions
    if asked is not None and asked < min(2, partitions):
        raise ConfigError(f"a turn has two partitions or more at hand, found {asked}")
    return min(partitions, asked or (AT_HAND if partitions >= 2 * AT_HAND else 2))


class ClusterRun(Run):
    """The state of a run that workers do.

    Attributes:
        pool: the workers.
        order: the rounds of this epoch.
        step: how many of them are done.
        finished: what came of the turns of a round that are done, by their numbers in the epoch.
    """

    # In the places of what a run in memory has there.
    graph: PreparedGraph
    margins: PartitionedMargins  # type: ignore[assignment]
    rows: ClusterModels  # type: ignore[assignment]
    pool: Pool

    def __init__(
        self,
        energy: Energy,
        recipe: Recipe,
        graph: PreparedGraph,
        work: Path,
        store: Store,
        at_hand: int,
    ) -> None:
        self.energy, self.graph, self.layout, self.at_hand = energy, graph, graph.layout, at_hand
        self.store, self.files = store, SharedFiles(store, work / "fetched")
        with told_as_sentence(self.files.folder):
            self.files.folder.mkdir(parents=True, exist_ok=True)
        self.owner = fingerprint(energy, recipe, graph)
        self.relations, self.relation_state = fresh_relations(energy, recipe, graph)
        self.recipe = recipe
        self.recipe = with_external_radius(recipe, energy, self._sample() | self.relations)
        self.margins = PartitionedMargins(energy, self.recipe, graph, self.files)
        self.rows = ClusterModels(energy, self.layout, self.relations, self.files, work)
        self.engine = self  # type: ignore[assignment]
        self.validator = Validator.of(energy, recipe, graph, thread_count(recipe.threads))
        self.n_triples = triples_of(energy, graph)
        self.history: list[EpochReport] = []
        self.looks_without_gain = self.best_epoch = self.step = self.done = 0
        # The round before the first epoch measures what margins are made of.
        self.epoch = -1 if self.margins.due(0) else 0
        self.loss = self.seconds = 0.0
        self.parts: dict[int, str] = {}
        self.relations_at = "relations.0"
        self.finished: dict[int, TurnDone] = {}
        self.order = self._order()
        self._questions: BlockQuestions | None = None
        self._progress = Progress(self)

    def _sample(self) -> Parameters:
        """Rows of the first partition, as they are drawn."""
        rows = {
            name: np.empty((self.layout.size(0), *none.shape[1:]), np.float32)
            for name, none in self._nobody().items()
        }
        draw_rows(self.energy, self.recipe.seed, 0, rows)
        return rows

    def training(self, threads: int) -> Training:
        """What workers are told."""
        graph = graph_at(self.graph, self.store)
        return Training(self.energy, self.recipe, graph, self.store.address, self.at_hand, threads)

    @property
    def most_at_once(self) -> int:
        """Turns of a round, at most."""
        return max(len(turns) for turns in self.order)

    def begin(self) -> None:
        """Take the place for a new run; every turn of the first round begins with these."""
        self._write(self.relations_at, self.relations | self.relation_state)
        self._progress.note()

    def restore(self) -> None:
        """Go back to where the run was saved last."""
        self._progress.restore()

    def synchronise(self) -> None:
        """As an engine: rows are in their files."""

    def change_recipe(self, recipe: Recipe) -> None:
        """Go on by another recipe, from the next turn."""
        self.recipe = recipe
        if self.validator is not None:
            self.validator = replace(self.validator, recipe=recipe)

    def save(self, path: Path | None = None) -> None:
        """Have it said how far the run is."""
        if path is not None:
            raise ConfigError(
                "a run on a cluster is saved in its own storage alone; name no other place"
            )
        self._progress.note()

    def new_order(self) -> None:
        """The rounds of the epoch that the run is in."""
        self.order = self._order()

    def _order(self) -> list[list[Turn]]:
        rng = np.random.default_rng((self.recipe.seed, self.epoch + 1, self.layout.partitions))
        return rounds(self.layout.partitions, self.at_hand, rng)

    def _advance(self, stop: StopAsked = lambda: False) -> bool:
        """One round of the current epoch; whether the epoch is over."""
        began = time.monotonic()
        try:
            if self.step < len(self.order):
                self._one_round(stop)
                self.seconds += time.monotonic() - began
            if self.step < len(self.order):
                return False
            is_over = self.epoch >= 0
            if is_over:
                self._finish_epoch()
                self._end_epoch(stop)
                self.done += sum(map(len, self.order))
        except StopRequestedError:
            return False
        self.epoch, self.step = max(self.epoch, 0), 0
        self.new_order()
        self._progress.note()
        return is_over

    def _one_round(self, stop: StopAsked) -> None:
        if self.step == 0 and self.epoch >= 0 and not self.finished:
            self.margins.begin(self.epoch)
        before = sum(map(len, self.order[: self.step]))
        turns = dict(enumerate(self.order[self.step], start=before))
        jobs = [self._job(n, turn) for n, turn in turns.items() if n not in self.finished]
        for job, found in self.pool.results(jobs, stop):
            self._take(job.what, turns[job.what], found)
        self._merge(sorted(turns))
        self.step += 1
        self._progress.note()

    def _job(self, step: int, turn: Turn) -> Job:
        every = [each for some in self.order for each in some]
        earlier = {p for each in every[:step] for p in each.at_hand}
        later = {p for each in every[step + 1 :] for p in each.at_hand}
        last = tuple(sorted(turn.at_hand - later))
        parts = {p: self.parts[p] for p in turn.at_hand if p in self.parts}
        job = TurnJob(
            turn=turn,
            epoch=self.epoch,
            step=step,
            done=self.done + step + 1,
            first=tuple(sorted(turn.at_hand - earlier)),
            last=last,
            measures=self.margins.due(self.epoch + 1),
            lr=self.recipe.lr,
            parts=parts,
            relations=self.relations_at,
            margins=(self.margins.used, self.margins.made_for),
            catalogue={},
        )
        wanted = {*parts.values(), self.relations_at}
        wanted |= {f"margins-{p}.{self.margins.made_for}" for p in turn.at_hand}
        if job.measures:
            wanted |= {f"distances-{pair}" for p in last for pair in buckets_of(self.layout, p)}
        if self.recipe.average:
            wanted |= {f"mean-{p}.{self.epoch}" for p in last}
        there = {name: self.files.catalogue[name] for name in wanted & {*self.files.catalogue}}
        return Job(step, "train", (replace(job, catalogue=there),))

    def _take(self, step: int, turn: Turn, found: TurnDone) -> None:
        """Have it noted that a turn is done: from here on it is not done again."""
        self._progress.know(found.files)
        self.finished[step] = found
        if self.epoch >= 0:
            self.parts |= {p: f"part-{p}.{self.done + step + 1}" for p in turn.at_hand}
        self._progress.note()

    def _merge(self, steps: Sequence[int]) -> None:
        """What the turns of a round came to together, in their order."""
        found = [self.finished[step] for step in steps]
        for each in found:
            self.margins.sums |= {int(p): value for p, value in each.sums.items()}
        if self.epoch >= 0:
            after = [self.files.read_rows(f"turn-{step}") for step in steps]
            before = self.relations | self.relation_state
            merged = averaged(before, after, [each[COUNTS] for each in after])
            for name, table in merged.items():
                before[name][...] = table
            self.relations_at = f"relations.{self.done + steps[-1] + 1}"
            self._write(self.relations_at, before)
            # One sum for all of an epoch, in the order of its turns.
            self.loss = math.fsum([self.loss, *(each.loss for each in found)])
        self.finished = {}

    def _write(self, name: str, tables: Parameters) -> None:
        self.files.write_rows(name, tables)
        self._progress.know(self.files.hand_in())

    def _finish_epoch(self) -> None:
        """The whole model after an epoch."""
        number, every = self.epoch + 1, range(self.layout.partitions)
        if self.rows.now.relations == f"mean.{number}":
            # A run that was stopped while it looked at the model.
            return
        if self.recipe.average:
            mean = {name: table.copy() for name, table in self.relations.items()}
            if self.epoch > 0:
                before = self.rows.relations_of(Names(relations=f"mean.{self.epoch}"))
                mean = {name: table.copy() for name, table in before.items()}
                blend(mean, self.relations, number)
            self.energy.settle(self._nobody() | mean)
            self._write(f"mean.{number}", mean)
            self.rows.now = Names({p: f"mean-{p}.{number}" for p in every}, f"mean.{number}")
        else:
            self.rows.now = Names(dict(self.parts), self.relations_at)

    def _nobody(self) -> Parameters:
        """Tables of entities without a row."""
        rng, tables = np.random.default_rng(0), self.energy.tables.items()
        return {name: self.energy.draw(name, 0, rng) for name, of in tables if of == "entity"}

    def _look(self, stop: StopAsked) -> float:
        if not is_exact_in_blocks(self.energy):
            return super()._look(stop)
        if self._questions is None:
            sample = sample_of(self.recipe, self.graph)
            self._questions = BlockQuestions.of(sample, self.graph.index)
        asked = self.rows.now, self.files, self.layout, self._questions
        ranks = ranks_of_parts(self.pool, self.rows, *asked, stop).filtered.ranks()
        metrics = Metrics.of(ranks)
        return metrics.mrr if self.recipe.stop_on == "mrr" else metrics.mr
