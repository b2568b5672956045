"""The training loop: epochs, margins, validation, checkpoints, and a clean end."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from transa.errors import ConfigError, InputError, TrainingError
from transa.graph import Graph
from transa.graph.sampling import known_of
from transa.kernels.margins.readings import TripleMargins
from transa.kernels.threads import thread_count
from transa.models.energy import Energy, Parameters, check_tables
from transa.models.registry import MODELS
from transa.settings.recipe import Recipe
from transa.storage.record import EpochReport, Stopped, TrainingRecord
from transa.training.averaging import blend
from transa.training.checkpoint import Checkpoint, fingerprint
from transa.training.checkpoint import load as load_checkpoint
from transa.training.checkpoint import save as save_checkpoint
from transa.training.engines import als, fused, softmax
from transa.training.engines.autograd import AutogradEngine
from transa.training.engines.optimisers import State, fresh_state
from transa.training.gamma import with_external_radius
from transa.training.interrupt import Interrupt
from transa.training.margins import Margins
from transa.training.validation import Validator
from transa.training.work import Work

# Seconds of work that a kill may cost.
SAVE_EVERY = 60.0


@dataclass(frozen=True, eq=False)
class Trained(TrainingRecord):
    """What training gives: the best parameters seen (the last, without validation)."""

    parameters: Parameters

    @property
    def record(self) -> TrainingRecord:
        """What is kept beside the parameters."""
        return TrainingRecord(self.history, self.best_epoch, self.stopped)


class Engine(Protocol):
    """How steps are executed; see `fused` and `autograd`."""

    def run(
        self,
        blocks: NDArray[np.int64],
        margins: TripleMargins,
        key: tuple[int, ...],
        threads: int,
    ) -> float:
        """Train on blocks of triples; the sum of their losses."""

    def onto_sphere(self) -> None:
        """Put every entity on the unit sphere."""

    def synchronise(self) -> None:
        """Make the arrays show what was trained."""


def train(
    energy: Energy,
    recipe: Recipe,
    graph: Graph,
    *,
    checkpoint: Path | None = None,
    resume: bool = False,
    log: Path | None = None,
    report: Callable[[EpochReport], None] | None = None,
) -> Trained:
    """Train a model on a graph.

    Ctrl-C ends the run after the work in hand (about a second on the fused engine, up to an epoch
    of half a million triples on the others), with a checkpoint if one is asked for. A run resumed
    from it goes on as if never stopped: on one thread, bit by bit.

    Args:
        energy: the model.
        recipe: how to train it.
        graph: what to train it on.
        checkpoint: file to save progress to, once a minute and at the end.
        resume: go on from that file.
        log: file that receives a line of JSON for every epoch.
        report: called after every epoch.
    """
    run = Run(energy, recipe, graph, checkpoint)
    if resume:
        if checkpoint is None:
            raise ConfigError("resume needs the checkpoint to resume from")
        run.restore()
    return run.until_done(log, report)


class Run:
    """The state of one run: arrays, position, history."""

    def __init__(
        self, energy: Energy, recipe: Recipe, graph: Graph, checkpoint: Path | None
    ) -> None:
        if graph.n_entities < 2:
            raise InputError(f"graph {graph.name!r} has one entity, so that no triple can be false")
        self.energy, self.checkpoint = energy, checkpoint
        self.owner = fingerprint(energy, recipe, graph)
        self.threads = thread_count(recipe.threads)
        rng = np.random.default_rng(recipe.seed)
        self.parameters = energy.initialise(graph.n_entities, graph.n_relations, rng)
        check_tables(energy, self.parameters, graph.n_entities, graph.n_relations)
        self.recipe = recipe = with_external_radius(recipe, energy, self.parameters)
        self.state = fresh_state(self.parameters, recipe.optimiser)
        triples = np.ascontiguousarray(graph.train[rng.permutation(len(graph.train))])
        known = known_of(
            triples,
            graph.n_entities,
            graph.n_relations,
            recipe.sampling,
            tail_share=recipe.tail_share,
            same_position=recipe.same_position,
        )
        self.work = Work(triples, known)
        self.engine = _engine(energy, recipe, self.parameters, self.state, self.work)
        self.margins = Margins(energy, recipe, triples, graph.n_entities)
        self.validator = Validator.of(energy, recipe, graph, self.threads)
        self.mean = _copy(self.parameters) if recipe.average else self.parameters
        self.best = _copy(self.parameters) if self.validator else {}
        self.history: list[EpochReport] = []
        self.epoch = self.chunk = self.best_epoch = self.looks_without_gain = 0
        self.loss = self.seconds = 0.0

    def until_done(self, log: Path | None, report: Callable[[EpochReport], None] | None) -> Trained:
        """Run the epochs that are left."""
        stopped: Stopped = "finished"
        saved = time.monotonic()
        with Interrupt() as interrupt, _Log(log, self.history) as lines:
            while self.epoch < self.recipe.epochs:
                if self._stale():
                    stopped = "early"
                    break
                if self._advance():
                    lines.write(self.history[-1])
                    if report is not None:
                        report(self.history[-1])
                if interrupt.requested:
                    stopped = "interrupted"
                    break
                if time.monotonic() - saved > SAVE_EVERY:
                    self._save()
                    saved = time.monotonic()
            self._save()
        self.engine.synchronise()
        # Before the first look at the validation split there is no best yet.
        chosen = self.best if self.best_epoch else self.mean
        return Trained(tuple(self.history), self.best_epoch, stopped, chosen)

    def one_epoch(self) -> EpochReport:
        """Run to the end of the current epoch."""
        while not self._advance():
            pass
        return self.history[-1]

    def _advance(self) -> bool:
        """One chunk of the current epoch; whether it was the last."""
        began = time.monotonic()
        if self.chunk == 0:
            self._begin_epoch()
        key = (self.recipe.seed, self.epoch, self.chunk)
        blocks = self.work.chunk(*key)
        self.loss += self.engine.run(blocks, self.margins.current, key, self.threads)
        if not math.isfinite(self.loss):
            raise TrainingError(
                f"the loss is no longer finite in epoch {self.epoch + 1}; lower the learning rate "
                f"(it is {self.recipe.lr:g}) or constrain the entities (--constraint ball)"
            )
        self.chunk += 1
        self.seconds += time.monotonic() - began
        ended = self.chunk == self.work.n_chunks
        if ended:
            self._end_epoch()
        return ended

    def _begin_epoch(self) -> None:
        if self.recipe.constraint == "sphere":
            self.engine.onto_sphere()
        if self.margins.due(self.epoch):
            self.engine.synchronise()
            self.margins.compute(self.parameters, self.epoch, self.threads)

    def _end_epoch(self) -> None:
        began = time.monotonic()
        self.epoch, self.chunk = self.epoch + 1, 0
        if self.recipe.average:
            self.engine.synchronise()
            blend(self.mean, self.parameters, self.epoch)
            self.energy.settle(self.mean)
        value = self._validate() if self.validator and self.validator.due(self.epoch) else None
        self.seconds += time.monotonic() - began
        self.history.append(
            EpochReport(
                epoch=self.epoch,
                epochs=self.recipe.epochs,
                loss=self.loss / len(self.work.triples),
                mean_margin=self.margins.mean(),
                validation=value,
                best=self._best_value() if value is None else self._better(value),
                seconds=self.seconds,
                seconds_left=self.seconds / self.epoch * (self.recipe.epochs - self.epoch),
            )
        )
        self.loss = 0.0

    def _validate(self) -> float:
        """Look at the validation split; keep the vectors if they are the best so far."""
        assert self.validator is not None  # noqa: S101 (narrows the type)
        self.engine.synchronise()
        value = self.validator.measure(self.mean)
        if self._better(value) == value and value != self._best_value():
            for name, table in self.mean.items():
                self.best[name][...] = table
            self.best_epoch, self.looks_without_gain = self.epoch, 0
        else:
            self.looks_without_gain += 1
        return value

    def _best_value(self) -> float | None:
        return self.history[-1].best if self.history else None

    def _better(self, value: float) -> float:
        best = self._best_value()
        if best is None:
            return value
        return min(best, value) if self.recipe.stop_on == "mr" else max(best, value)

    def _stale(self) -> bool:
        return 0 < self.recipe.patience <= self.looks_without_gain

    def _save(self) -> None:
        if self.checkpoint is None:
            return
        self.engine.synchronise()
        arrays: dict[str, NDArray[np.float32]] = {}
        for prefix, group in self._array_groups().items():
            arrays |= {f"{prefix}/{name}": array for name, array in group.items()}
        progress = {name: getattr(self, name) for name in _POSITION}
        progress["history"] = [asdict(line) for line in self.history]
        save_checkpoint(self.checkpoint, Checkpoint(arrays, progress), self.owner)

    def restore(self) -> None:
        """Go back to where the checkpoint was written."""
        assert self.checkpoint is not None  # noqa: S101 (the caller has seen to it)
        saved = load_checkpoint(self.checkpoint, self.owner)
        for prefix, group in self._array_groups().items():
            for name, array in group.items():
                array[...] = saved.arrays[f"{prefix}/{name}"]
        for name in _POSITION:
            setattr(self, name, saved.progress[name])
        self.history = [EpochReport(**line) for line in saved.progress["history"]]
        self.engine = _engine(self.energy, self.recipe, self.parameters, self.state, self.work)

    def _array_groups(self) -> dict[str, dict[str, NDArray[np.float32]]]:
        return {
            "parameters": self.parameters,
            "state": self.state,
            "mean": self.mean if self.recipe.average else {},
            "best": self.best,
            "margins": self.margins.arrays(),
        }


_POSITION = ("epoch", "chunk", "loss", "seconds", "best_epoch", "looks_without_gain")


def _copy(tables: Parameters) -> Parameters:
    return {name: table.copy() for name, table in tables.items()}


class _Log:
    """A line of JSON per epoch; begins with what a resumed run had already done."""

    def __init__(self, path: Path | None, past: list[EpochReport]) -> None:
        self._path, self._past = path, list(past)

    def __enter__(self) -> _Log:
        self._file = None
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("w", encoding="utf-8")
            for line in self._past:
                self.write(line)
        return self

    def write(self, line: EpochReport) -> None:
        """Add one epoch, at once."""
        if self._file is not None:
            self._file.write(json.dumps(asdict(line)) + "\n")
            self._file.flush()

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


def _engine(
    energy: Energy, recipe: Recipe, parameters: Parameters, state: State, work: Work
) -> Engine:
    use_fused = fused.applies(energy, recipe)
    if recipe.engine == "fused" and not use_fused:
        names = ", ".join(name for name in MODELS if MODELS[name].energy in fused.KERNELS)
        raise ConfigError(
            f"the fused engine trains only {names}, on the cpu and without dropout; choose the "
            "engine 'autograd' or 'auto'"
        )
    if recipe.optimiser == "als":
        als.check(energy, recipe)
        return als.ALSEngine(energy, recipe, parameters, state, work)
    if recipe.loss == "softmax":
        softmax.check(energy, recipe)
        return softmax.SoftmaxEngine(energy, recipe, parameters, state, work)
    if use_fused and recipe.engine != "autograd":
        return fused.FusedEngine(energy, recipe, parameters, state, work)
    return AutogradEngine(energy, recipe, parameters, state, work)
