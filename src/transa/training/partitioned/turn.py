"""What is done with the partitions at hand: their buckets trained, their neighbours measured."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from transa.errors import TrainingError
from transa.files.arrays import Arrays
from transa.kernels.training.transe import onto_sphere
from transa.margins.margin_graph import Pairs
from transa.models.energy import Energy, Parameters
from transa.prepared.graph import PreparedGraph
from transa.prepared.layout import Pair, bucket_path
from transa.prepared.order import Turn
from transa.prepared.record import check_file
from transa.settings.recipe import Recipe
from transa.training.bucket import Bucket
from transa.training.engines import engine_for
from transa.training.interrupt import StopAsked, StopRequestedError
from transa.training.optimisers import fresh_state
from transa.training.partitioned.at_hand import RowsAtHand
from transa.training.partitioned.margins import PartitionedMargins
from transa.training.partitioned.questions import Questions


class TurnTrainer:
    """Trains what is at hand.

    Attributes:
        recipe: how; may be changed between turns.
        relations: their tables, moved by steps.
        relation_state: what the optimiser keeps of them.
        questions: makes buckets for engines.
    """

    def __init__(
        self,
        energy: Energy,
        recipe: Recipe,
        graph: PreparedGraph,
        hand: RowsAtHand,
        margins: PartitionedMargins,
        threads: int,
    ) -> None:
        self.recipe, self._energy, self._graph, self._hand = recipe, energy, graph, hand
        self._margins, self._threads = margins, threads
        self.relations, self.relation_state = fresh_relations(energy, recipe, graph)
        self.questions = Questions(energy, recipe, graph, margins)
        self._checked: set[Pair] = set()

    def buckets_of(self, turn: Turn) -> dict[Pair, Arrays]:
        """The arrays of the buckets whose turn it is."""
        return {pair: self._arrays(pair) for pair in turn.buckets}

    def _arrays(self, pair: Pair) -> Arrays:
        arrays = self._graph.bucket(pair)
        if pair not in self._checked:
            name = bucket_path(self._graph.folder, pair).name
            check_file(self._graph.folder, self._graph.record, name)
            self._checked.add(pair)
        return arrays

    def begin(self, partitions: Iterable[int]) -> None:
        """Have the rows of partitions as an epoch begins with them."""
        if self.recipe.constraint != "sphere":
            return
        for partition in partitions:
            onto_sphere(self._hand.of(partition)["entity"])

    def train(
        self,
        buckets: Mapping[Pair, Arrays],
        when: tuple[int, int],
        stop: StopAsked,
        loss: float = 0.0,
    ) -> float:
        """Train the buckets of a turn, and add their loss to what there is.

        Args:
            buckets: what `buckets_of` gave.
            when: the epoch, and the number of the turn in it.
            stop: asked between slices of work.
            loss: of the epoch so far.

        Raises:
            StopRequestedError: if it is to stop; the rows at hand are then of no use.
        """
        if not any(len(arrays["triples"]) for arrays in buckets.values()):
            return loss
        bucket = Bucket(
            self._hand.tables() | self.relations,
            self._hand.state() | self.relation_state,
            *self.questions.ask(self._hand, buckets, self._threads),
            self.recipe.block,
            self.questions.own_weights,
            stands_for=self._graph.n_entities,
        )
        make, (epoch, step) = engine_for(self._energy, self.recipe).make, when
        engine, seed = make(self._energy, self.recipe, bucket), self.recipe.seed
        engine.rate = self.recipe.rate_in(epoch)
        for chunk in range(bucket.n_chunks):
            blocks, key = bucket.chunk(seed, epoch, chunk), (seed, epoch, step, chunk)
            loss += engine.run(blocks, key, self._threads, stop)
            if engine.position is not None:
                raise StopRequestedError
        if not math.isfinite(loss):
            raise TrainingError(
                f"the loss is no longer finite in epoch {epoch + 1}; lower the learning rate "
                f"(it is {self.recipe.lr:g}) or constrain the entities (--constraint ball)"
            )
        return loss

    def measure(self, buckets: Mapping[Pair, Arrays]) -> None:
        """Measure the pairs of neighbours of buckets, for the margins of the next epoch."""
        rows = self._hand.tables()["entity"]
        for pair, arrays in buckets.items():
            ends = (self._hand.ids(arrays[end], pair) for end in ("one", "other"))
            self._margins.measure(pair, Pairs(*ends), rows, self._threads)


def fresh_relations(
    energy: Energy, recipe: Recipe, graph: PreparedGraph
) -> tuple[Parameters, Parameters]:
    """Relations as they are before training, and what the optimiser keeps of them."""
    rng = np.random.default_rng((recipe.seed, graph.layout.partitions))
    drawn = energy.initialise(1, graph.n_relations, rng)
    tables = {n: t for n, t in drawn.items() if energy.tables[n] != "entity"}
    return tables, fresh_state(tables, recipe.optimiser)
