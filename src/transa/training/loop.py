"""The training loop: epochs, margins, validation, checkpoints, and a clean end."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from transa.errors import ConfigError, InputError, TrainingError
from transa.files.whole import told_as_sentence
from transa.graph import Graph
from transa.graph.sampling import known_of
from transa.kernels.jit import compiling
from transa.kernels.threads import thread_count
from transa.models.energy import Energy, Parameters, Tables, check_tables
from transa.settings.recipe import Recipe
from transa.storage.record import EpochReport, Stopped, TrainingRecord
from transa.training.bucket import Bucket
from transa.training.callbacks import Callback, Callbacks, EachEpoch, Running
from transa.training.checkpoint import Checkpoint, fingerprint
from transa.training.checkpoint import load as load_checkpoint
from transa.training.checkpoint import save as save_checkpoint
from transa.training.engines import engine_for
from transa.training.gamma import with_external_radius
from transa.training.interrupt import Interrupt, StopAsked, StopRequestedError, never
from transa.training.margins import Margins
from transa.training.memory import allocations_told, check_negatives, check_room
from transa.training.reciprocal import questions_of
from transa.training.rows import TrainedRows
from transa.training.validation import Validator

# Seconds of work that a kill may cost: early in a run, and later.
FIRST_SAVE, SAVE_EVERY = 5.0, 60.0


@dataclass(frozen=True, eq=False)
class Trained(TrainingRecord):
    """What training gives: the best parameters seen (the last, without validation)."""

    parameters: Parameters

    @property
    def record(self) -> TrainingRecord:
        """What is kept beside the parameters."""
        return TrainingRecord(self.history, self.best_epoch, self.stopped)


def train(
    energy: Energy,
    recipe: Recipe,
    graph: Graph,
    *,
    checkpoint: Path | None = None,
    resume: bool = False,
    log: Path | None = None,
    report: Callable[[EpochReport], None] | None = None,
    callbacks: Sequence[Callback | EachEpoch] = (),
    stop: StopAsked = never,
) -> Trained:
    """Train a model on a graph.

    Ctrl-C ends the run within about a second, with a checkpoint if one is asked for. A run resumed
    from it goes on as if never stopped: on one thread, to the last bit.

    Args:
        energy: the model.
        recipe: how to train it.
        graph: what to train it on.
        checkpoint: file to save progress to: soon after the start, once a minute, after every look
            at the validation split and at the end.
        resume: go on from that file.
        log: file that receives a line of JSON for every epoch.
        report: called after every epoch.
        callbacks: told of the run, and asked what to do.
        stop: asked about once a second whether to end the run as it is.
    """
    run = Run(energy, recipe, graph, checkpoint)
    if resume:
        if checkpoint is None:
            raise ConfigError("resume needs the checkpoint to resume from")
        run.restore()
    return run.until_done(log, report, callbacks, stop)


@dataclass(frozen=True, eq=False)
class Beginning:
    """Where a run begins that does not begin anew.

    Attributes:
        tables: to go on from; the run has copies.
        chosen: per training triple, whether it is trained on; the others are known to be true.
    """

    tables: Tables
    chosen: NDArray[np.bool_]


class Run:
    """The state of one run: arrays, position, history."""

    def __init__(
        self,
        energy: Energy,
        recipe: Recipe,
        graph: Graph,
        checkpoint: Path | None,
        begin: Beginning | None = None,
    ) -> None:
        if graph.n_entities < 2:
            raise InputError(f"graph {graph.name!r} has one entity, so that no triple can be false")
        check_room(energy, recipe, graph)
        check_negatives(energy, recipe, graph)
        self.graph, self.checkpoint = graph, checkpoint
        self.owner = fingerprint(energy, recipe, graph)
        self.threads = thread_count(recipe.threads)
        rng = np.random.default_rng(recipe.seed)
        tables = energy.initialise(graph.n_entities, graph.n_relations, rng)
        check_tables(energy, tables, graph.n_entities, graph.n_relations)
        # Measured before training, however it went on from there.
        self.recipe = recipe = with_external_radius(recipe, energy, tables)
        if begin is not None:
            tables = {name: np.array(table) for name, table in begin.tables.items()}
        make_engine = engine_for(energy, recipe).make
        self.rows = TrainedRows(energy, recipe, tables)
        asked = questions_of(energy, recipe, graph)
        order, trained = rng.permutation(len(asked.triples)), None
        if begin is not None:
            chosen = np.tile(begin.chosen, len(asked.triples) // len(begin.chosen))
            order, trained = order[np.argsort(~chosen[order], kind="stable")], int(chosen.sum())
        triples = np.ascontiguousarray(asked.triples[order])
        known = known_of(
            triples,
            graph.n_entities,
            energy.relation_rows(graph.n_relations),
            recipe.sampling,
            tail_share=asked.tail_share,
            same_position=recipe.same_position,
        )
        self.margins = Margins(energy, recipe, triples, graph.n_entities)
        self.bucket = Bucket(
            tables,
            self.rows.state,
            triples,
            known,
            self.margins.current,
            recipe.block,
            trained=trained,
        )
        self.n_triples = self.bucket.n_trained
        self._make_engine = partial(make_engine, energy, recipe, self.bucket)
        self.engine = self._make_engine()
        self.validator = Validator.of(energy, recipe, graph, self.threads)
        self.history: list[EpochReport] = []
        self.epoch = self.chunk = self.best_epoch = self.looks_without_gain = 0
        self.loss = self.seconds = 0.0

    @property
    def parameters(self) -> Parameters:
        """The tables as the last step left them."""
        return self.rows.tables

    def until_done(
        self,
        log: Path | None,
        report: Callable[[EpochReport], None] | None,
        callbacks: Sequence[Callback | EachEpoch] = (),
        stop: StopAsked = never,
    ) -> Trained:
        """Run the epochs that are left."""
        told = Callbacks(callbacks, Running(self))
        told.begin()
        try:
            trained = self._until_done(log, report, told, stop)
        except BaseException:
            told.end(None)
            raise
        told.end(trained.record)
        return trained

    def _until_done(
        self,
        log: Path | None,
        report: Callable[[EpochReport], None] | None,
        told: Callbacks,
        stop: StopAsked,
    ) -> Trained:
        stopped: Stopped = "finished"
        saved, patience = time.monotonic(), FIRST_SAVE
        begun = False
        # Kernels are compiled when they are first called, which may take longer than whoever asks
        # to stop will wait.
        interrupts = Interrupt(lambda: not begun and compiling())
        with interrupts as interrupt, _Log(log, self.history) as lines:
            while self.epoch < self.recipe.epochs:
                if self._stale():
                    stopped = "early"
                    break
                looked = False
                is_over = self._advance(lambda: interrupt.requested or stop())
                begun = True
                if is_over:
                    looked = self.history[-1].validation is not None
                    lines.write(self.history[-1])
                    if report is not None:
                        report(self.history[-1])
                    told.epoch(self.history[-1])
                if interrupt.requested or told.interrupted:
                    stopped = "interrupted"
                    break
                if told.stop_asked or stop():
                    stopped = "early"
                    break
                if looked or time.monotonic() - saved > patience:
                    self.save()
                    saved, patience = time.monotonic(), SAVE_EVERY
            self.save()
        self.engine.synchronise()
        # Before the first look at the validation split there is no best yet.
        chosen = self.rows.best if self.best_epoch else self.rows.mean
        return Trained(tuple(self.history), self.best_epoch, stopped, chosen)

    def one_epoch(self) -> EpochReport:
        """Run to the end of the current epoch."""
        while not self._advance():
            pass
        return self.history[-1]

    def _advance(self, stop: StopAsked = never) -> bool:
        """One chunk of the current epoch, or what `stop` leaves of it; whether the epoch is over.

        An epoch whose last chunk is done has still to be validated.
        """
        if self.chunk < self.bucket.n_chunks:
            self._train_chunk(stop)
        if self.chunk < self.bucket.n_chunks:
            return False
        try:
            self._end_epoch(stop)
        except StopRequestedError:
            return False
        return True

    def _train_chunk(self, stop: StopAsked) -> None:
        began = time.monotonic()
        if self.chunk == 0 and self.engine.position is None:
            self._begin_epoch()
        key = (self.recipe.seed, self.epoch, self.chunk)
        self.engine.rate = self.recipe.rate_in(self.epoch)
        with allocations_told():
            self.loss += self.engine.run(self.bucket.chunk(*key), key, self.threads, stop)
        if not math.isfinite(self.loss):
            raise TrainingError(
                f"the loss is no longer finite in epoch {self.epoch + 1}; lower the learning rate "
                f"(it is {self.recipe.lr:g}) or constrain the entities (--constraint ball)"
            )
        if self.engine.position is None:
            self.chunk += 1
        if self.chunk == self.bucket.n_chunks and self.recipe.average:
            self.engine.synchronise()
            self.rows.enter_mean(self.epoch + 1)
        self.seconds += time.monotonic() - began

    def _begin_epoch(self) -> None:
        if self.recipe.constraint == "sphere":
            self.engine.onto_sphere()
        if self.margins.due(self.epoch):
            self.engine.synchronise()
            self.margins.compute(self.parameters, self.epoch, self.threads)

    def _end_epoch(self, stop: StopAsked) -> None:
        began, value = time.monotonic(), None
        if self.validator and self.validator.due(self.epoch + 1):
            value = self._validate(self.epoch + 1, stop)
        self.epoch, self.chunk = self.epoch + 1, 0
        self.seconds += time.monotonic() - began
        self.history.append(
            EpochReport(
                epoch=self.epoch,
                epochs=self.recipe.epochs,
                loss=self.loss / self.n_triples,
                mean_margin=self.margins.mean(),
                validation=value,
                best=self._best_value() if value is None else self._better(value),
                seconds=self.seconds,
                seconds_left=self.seconds / self.epoch * (self.recipe.epochs - self.epoch),
            )
        )
        self.loss = 0.0

    def _validate(self, epoch: int, stop: StopAsked) -> float:
        """Look at the validation split; keep the vectors if they are the best so far."""
        value = self._look(stop)
        if self._better(value) == value and value != self._best_value():
            self.rows.keep_as_best()
            self.best_epoch, self.looks_without_gain = epoch, 0
        else:
            self.looks_without_gain += 1
        return value

    def _look(self, stop: StopAsked) -> float:
        assert self.validator is not None  # noqa: S101 (narrows the type)
        self.engine.synchronise()
        return self.validator.measure(self.rows.mean, stop)

    def _best_value(self) -> float | None:
        return self.history[-1].best if self.history else None

    def _better(self, value: float) -> float:
        best = self._best_value()
        if best is None:
            return value
        return min(best, value) if self.recipe.stop_on == "mr" else max(best, value)

    def _stale(self) -> bool:
        recipe = self.recipe
        return recipe.lr_decay == "none" and 0 < recipe.patience <= self.looks_without_gain

    def change_recipe(self, recipe: Recipe) -> None:
        """Go on by another recipe, from the next epoch: what is learnt stays, bit by bit."""
        self.engine.synchronise()
        self.recipe = recipe
        if self.validator is not None:
            self.validator = replace(self.validator, recipe=recipe)
        self._make_engine = partial(self._make_engine.func, self.rows.energy, recipe, self.bucket)
        self.engine = self._make_engine()

    def save(self, path: Path | None = None) -> None:
        """Write the checkpoint, if there is to be one; or another one."""
        path = path or self.checkpoint
        if path is None:
            return
        self.engine.synchronise()
        arrays = self.rows.arrays() | self.margins.arrays()
        progress = {name: getattr(self, name) for name in _POSITION}
        progress["within_chunk"], progress["lr"] = self.engine.position, self.recipe.lr
        progress["history"] = [asdict(line) for line in self.history]
        save_checkpoint(path, Checkpoint(arrays, progress), self.owner)

    def restore(self) -> None:
        """Go back to where the checkpoint was written."""
        assert self.checkpoint is not None  # noqa: S101 (the caller has seen to it)
        saved = load_checkpoint(self.checkpoint, self.owner)
        self.rows.restore(saved.arrays)
        for name, array in self.margins.arrays().items():
            array[...] = saved.arrays[name]
        for name in _POSITION:
            setattr(self, name, saved.progress[name])
        self.history = [EpochReport(**line) for line in saved.progress["history"]]
        # A callback may have changed the rate.
        self.change_recipe(replace(self.recipe, lr=saved.progress.get("lr", self.recipe.lr)))
        self.engine.position = saved.progress.get("within_chunk")


_POSITION = ("epoch", "chunk", "loss", "seconds", "best_epoch", "looks_without_gain")


class _Log:
    """A line of JSON per epoch; begins with what a resumed run had already done."""

    def __init__(self, path: Path | None, past: list[EpochReport]) -> None:
        self._path, self._past = path, list(past)

    def __enter__(self) -> _Log:
        self._file = None
        if self._path is not None:
            with told_as_sentence(self._path):
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._file = self._path.open("w", encoding="utf-8")
            for line in self._past:
                self.write(line)
        return self

    def write(self, line: EpochReport) -> None:
        """Add one epoch, at once."""
        if self._file is not None:
            with told_as_sentence(self._file.name):
                self._file.write(json.dumps(asdict(line)) + "\n")
                self._file.flush()

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            with told_as_sentence(self._file.name):
                self._file.close()
