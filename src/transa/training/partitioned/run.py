"""The training loop over buckets: partitions come from disk, are trained with others, and go."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from transa.errors import ConfigError, StoreError
from transa.kernels.threads import thread_count
from transa.models.energy import Energy, Parameters
from transa.prepared.graph import PreparedGraph
from transa.prepared.order import Turn, turns
from transa.settings.recipe import Recipe
from transa.storage.record import EpochReport
from transa.training.callbacks import Callback, EachEpoch
from transa.training.gamma import with_external_radius
from transa.training.interrupt import StopAsked, StopRequestedError
from transa.training.loop import Run, Trained
from transa.training.memory import check_negatives
from transa.training.partitioned.at_hand import RowsAtHand
from transa.training.partitioned.checks import (
    check_settings,
    fingerprint,
    partitions_at_hand,
)
from transa.training.partitioned.files import RunFiles
from transa.training.partitioned.margins import PartitionedMargins
from transa.training.partitioned.models import Models
from transa.training.partitioned.turn import TurnTrainer
from transa.training.validation import Validator

# Seconds of work that a kill may cost, or the turn in hand where it takes longer.
SAVE_EVERY = 5.0

_POSITION = ("epoch", "step", "loss", "seconds", "best_epoch", "looks_without_gain")


def train_in_partitions(
    energy: Energy,
    recipe: Recipe,
    graph: PreparedGraph,
    work: Path,
    *,
    memory: int | None = None,
    at_hand: int | None = None,
    resume: bool = False,
    log: Path | None = None,
    report: Callable[[EpochReport], None] | None = None,
    callbacks: Sequence[Callback | EachEpoch] = (),
) -> Trained:
    """Train on a prepared graph; see `transa.training.loop.train`.

    Args:
        energy: the model.
        recipe: how to train it.
        graph: what to train it on.
        work: a folder for the rows that are not at hand, and for all that a stopped run needs.
        memory: bytes that the run may take; what is free, unless told.
        at_hand: how many partitions are in memory at a time; as many as fit, unless told.
        resume: go on from that folder.
        log: file that receives a line of JSON for every epoch.
        report: called after every epoch.
        callbacks: told of the run, and asked what to do.
    """
    fit = partitions_at_hand(energy, recipe, graph, memory)
    run = PartitionedRun(energy, recipe, graph, work, min(at_hand or fit, fit))
    if resume:
        run.restore()
    else:
        run.begin()
    try:
        return run.until_done(log, report, callbacks)
    finally:
        run.hand.close()


class PartitionedRun(Run):
    """The state of a run over buckets.

    Attributes:
        hand: the entities' rows at hand.
        at_hand: how many partitions are in memory at a time.
        order: of this epoch's turns.
        step: how many of them are done.
    """

    # In the places of what a run in memory has there.
    graph: PreparedGraph
    margins: PartitionedMargins  # type: ignore[assignment]
    rows: Models  # type: ignore[assignment]

    def __init__(
        self,
        energy: Energy,
        recipe: Recipe,
        graph: PreparedGraph,
        work: Path,
        at_hand: int,
    ) -> None:
        check_settings(energy, recipe)
        check_negatives(energy, recipe, graph)
        self.energy, self.graph, self.layout = energy, graph, graph.layout
        self.at_hand = at_hand
        self.files = RunFiles(work)
        self.owner = fingerprint(energy, recipe, graph)
        self.threads = thread_count(recipe.threads)
        self.hand = RowsAtHand(energy, recipe, self.layout, self.at_hand, self.files)
        self.margins = PartitionedMargins(energy, recipe, graph, self.files)
        self.trainer = TurnTrainer(energy, recipe, graph, self.hand, self.margins, self.threads)
        self.relations = self.trainer.relations
        self.relation_state = self.trainer.relation_state
        self.recipe = with_external_radius(recipe, energy, self._sample() | self.relations)
        self.trainer.recipe = self.recipe
        self.rows = Models(energy, recipe, self.layout, self.files)
        self.engine = self  # type: ignore[assignment]
        self.validator = Validator.of(energy, recipe, graph, self.threads)
        self.n_triples = self.trainer.questions.n_triples
        self.history: list[EpochReport] = []
        self.looks_without_gain = self.best_epoch = self.step = self.done = 0
        # The round before the first epoch measures what margins are made of.
        self.epoch = -1 if self.margins.due(0) else 0
        self.loss = self.seconds = 0.0
        self.start: list[int] = []
        self.order = self._order()
        self._saved = time.monotonic()
        self._is_whole = True

    def _sample(self) -> Parameters:
        """Rows of the first partition, as they are drawn."""
        self.hand.bring([0])
        return {name: self.hand.of(0)[name] for name in self.hand.tables()}

    def begin(self) -> None:
        """Make a new run's files."""
        self.rows.reserve(self.graph.n_entities, self.relations)
        self._note_progress()

    def restore(self) -> None:
        """Go back to where the run was saved last."""
        saved = self.files.read_progress(self.owner)
        for name in (*_POSITION, "done"):
            setattr(self, name, saved[name])
        self.history = [EpochReport(**line) for line in saved["history"]]
        # A callback may have changed the rate.
        self.recipe = self.trainer.recipe = replace(self.recipe, lr=saved.get("lr", self.recipe.lr))
        self.hand.named = {int(p): name for p, name in saved["parts"].items()}
        for name, array in self.files.read_rows(saved["relations"]).items():
            (self.relations | self.relation_state)[name][...] = array
        self.margins.restore(*saved["margins"])
        self.rows.current, self.rows.kept = saved["models"]
        self.start = saved["start"]
        self.hand.place = {}
        if saved["at_hand"] != self.at_hand:
            raise StoreError(
                f"the run had {saved['at_hand']} partitions at hand, and {self.at_hand} fit now; "
                "give it as much memory as it had (--memory)"
            )
        self.order = self._order()
        # Whom a corruption is depends on where rows are.
        for partition, place in saved["place"].items():
            self.hand.put(int(partition), place)

    def synchronise(self) -> None:
        """As an engine: the rows of whole models are where they are looked for."""

    def _order(self) -> list[Turn]:
        rng = np.random.default_rng((self.recipe.seed, self.epoch + 1, self.layout.partitions))
        return turns(self.layout.partitions, self.at_hand, rng, self.start)

    def _advance(self, stop: StopAsked = lambda: False) -> bool:
        """One turn of the current epoch; whether the epoch is over."""
        try:
            if self.step < len(self.order):
                self._one_turn(stop)
            if self.step < len(self.order):
                return False
            if self.epoch < 0:
                self._next_epoch()
                return False
            self._end_epoch(stop)
        except StopRequestedError:
            # What is at hand is of a bucket that is not done: the last save stands.
            self._is_whole = False
            return False
        self._next_epoch()
        # Before the next epoch writes where the one before this had its mean.
        self.save()
        return True

    def _next_epoch(self) -> None:
        """Go on with the next: `_end_epoch` has counted it, unless it was the round before all."""
        self.start = sorted(self.order[-1].at_hand)
        self.epoch, self.step = max(self.epoch, 0), 0
        self.order = self._order()

    def _one_turn(self, stop: StopAsked) -> None:
        began, turn = time.monotonic(), self.order[self.step]
        if self.step == 0 and self.epoch >= 0:
            self.margins.begin(self.epoch)
        self.hand.bring(turn.at_hand)
        following = self.order[self.step + 1 : self.step + 2]
        if following:
            self.hand.fetch(following[0].at_hand)
        buckets = self.trainer.buckets_of(turn)
        if self.epoch >= 0:
            before = {p for earlier in self.order[: self.step] for p in earlier.at_hand}
            self.trainer.begin(turn.at_hand - before)
            # One sum for all of an epoch, in the order of its chunks.
            self.loss = self.trainer.train(buckets, (self.epoch, self.step), stop, self.loss)
        if self.margins.due(self.epoch + 1):
            self.trainer.measure(buckets)
        self.step, self.done = self.step + 1, self.done + 1
        self._finish_partitions(turn)
        self._let_go(following)
        self.seconds += time.monotonic() - began

    def _finish_partitions(self, turn: Turn) -> None:
        """Of partitions whose last turn in this epoch it was: their mean, their margins."""
        left = {p for later in self.order[self.step :] for pair in later.buckets for p in pair}
        for partition in sorted({p for pair in turn.buckets for p in pair} - left):
            rows = self.hand.of(partition)
            if self.epoch >= 0:
                self.rows.enter(partition, rows, self.epoch + 1)
            if self.margins.due(self.epoch + 1):
                self.margins.reduce(partition, rows | self.relations, self.epoch + 1, self.threads)
        if self.step == len(self.order) and self.epoch >= 0:
            self.rows.finish(self.relations, self.epoch + 1)

    def _let_go(self, following: list[Turn]) -> None:
        """Write what leaves; now and then also what stays, so that a kill costs little."""
        if self.epoch < 0:
            return
        save = time.monotonic() - self._saved > SAVE_EVERY
        for partition in sorted(self.hand.place):
            leaves = bool(following) and partition not in following[0].at_hand
            if save or leaves:
                self.hand.write(partition, self.done)
        if save:
            self._note_progress()

    def _note_progress(self) -> None:
        """Have it said, once the rows are written, that the run is as far as it is now."""
        relations = {n: a.copy() for n, a in (self.relations | self.relation_state).items()}
        name = f"relations.{self.done}"
        progress: dict[str, Any] = {each: getattr(self, each) for each in _POSITION}
        progress |= {
            "owner": self.owner,
            "done": self.done,
            "lr": self.recipe.lr,
            "start": self.start,
            "at_hand": self.at_hand,
            "parts": dict(self.hand.named),
            "place": dict(self.hand.place),
            "relations": name,
            "margins": [self.margins.used, self.margins.made_for, dict(self.margins.sums)],
            "models": [self.rows.current, self.rows.kept],
            "history": [asdict(line) for line in self.history],
        }
        named = [*self.hand.named.values(), name, *self.margins.named()]

        def work() -> None:
            self.files.write_rows(name, relations)
            self.files.write_progress(progress | {"named": named})

        self.hand.later(work)
        self._saved = time.monotonic()

    def change_recipe(self, recipe: Recipe) -> None:
        """Go on by another recipe, from the next turn: each has an engine of its own."""
        self.recipe = self.trainer.recipe = recipe
        # The epoch before is saved already, and a kill must not take this back.
        self._note_progress()

    def save(self, path: Path | None = None) -> None:
        """Write all that is at hand to the run's own folder, and wait for it."""
        if path is not None:
            raise ConfigError(
                "a run in partitions is saved in its own folder alone; name no other place"
            )
        if self._is_whole and self.epoch >= 0:
            for partition in sorted(self.hand.place):
                self.hand.write(partition, self.done)
            self._note_progress()
        self.hand.check(wait=True)
