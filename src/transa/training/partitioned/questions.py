"""What a turn asks: its triples as rows at hand, the answers known of each, their margins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from transa.files.arrays import Arrays
from transa.graph import Triples
from transa.graph.graph import inverses_of
from transa.graph.sampling import no_marks
from transa.kernels.answers import Answers, Windows, count_answers, fill_answers, mark_answers
from transa.kernels.margins.readings import TripleMargins
from transa.kernels.threads import over_spans
from transa.kernels.training.sampling import Known
from transa.models.energy import Energy
from transa.prepared.buckets import SIDES
from transa.prepared.graph import PreparedGraph
from transa.prepared.layout import Pair, around_path
from transa.prepared.record import check_file
from transa.settings.recipe import Recipe
from transa.training.engines.listwise import weights_of
from transa.training.partitioned.at_hand import RowsAtHand
from transa.training.partitioned.margins import PartitionedMargins

Ids = NDArray[np.int32]
Buckets = Mapping[Pair, Arrays]
# Where the anchor of each side stands.
_COLUMNS = dict(zip(SIDES, (0, 2), strict=True))


class Asked(NamedTuple):
    """Triples to train on, in the order of what is known of them and of their margins."""

    triples: Triples
    known: Known
    margins: TripleMargins


class _Side(NamedTuple):
    """Answers of one side, each triple's span of them, and the triples of each partition."""

    found: Ids
    spans: Ids
    mine: list[NDArray[np.int64]]


class Questions:
    """What is asked of the rows at hand, of a recipe and a graph.

    Where relations have inverses, every triple is asked for its tail, and so is its inverse.

    Attributes:
        tail_rate: how often the tail is what is asked for, by relation.
        own_weights: see `transa.training.engines.listwise.own_weights`.
    """

    def __init__(
        self, energy: Energy, recipe: Recipe, graph: PreparedGraph, margins: PartitionedMargins
    ) -> None:
        self._recipe, self._graph, self._margins = recipe, graph, margins
        self._reciprocal = energy.reciprocal
        self._checked: set[str] = set()
        self.tail_rate, self.own_weights = self._tail_rates(), self._own_weights()

    @property
    def n_triples(self) -> int:
        """Triples of an epoch, their inverses among them."""
        return self._graph.record.train * (2 if self._reciprocal else 1)

    def _tail_rates(self) -> NDArray[np.float32]:
        of, recipe, n = self._graph.of_relation, self._recipe, self._graph.n_relations
        if self._reciprocal:
            return np.ones(2 * n, dtype=np.float32)
        if recipe.sampling == "uniform":
            return np.full(n, recipe.tail_share, dtype=np.float32)
        # Tails per head against heads per tail: both are triples by something.
        heads, tails = (of[side].to_numpy().astype(np.float32) for side in ("heads", "tails"))
        rate: NDArray[np.float32] = np.where(heads > 0, heads / np.maximum(heads + tails, 1), 0.5)
        return rate.astype(np.float32)

    def _own_weights(self) -> NDArray[np.float32]:
        of = self._graph.of_relation
        triples, both, heads, tails = (
            of[name].to_numpy() for name in ("triples", "both", "heads", "tails")
        )
        ways = (heads, tails) if self._reciprocal else (heads,)
        return np.concatenate([weights_of(triples, both, questions) for questions in ways])

    def ask(self, hand: RowsAtHand, buckets: Buckets, threads: int) -> Asked:
        """The questions of some buckets of the rows at hand."""
        triples = np.concatenate([_moved(hand, *bucket) for bucket in buckets.items()])
        margins = self._margins.of(buckets, self._graph.layout.rows)
        sides = [self._side(hand, buckets, triples, side, threads) for side in SIDES]
        (tails, at_tail), (heads, at_head) = ((each.found, each.spans) for each in sides)
        ways = [(triples, 2), (triples, 0)]
        if self._reciprocal:
            ways[1] = inverses_of(triples, self._graph.n_relations), 2
        marks = self._marks(sides, ways)
        if self._reciprocal:
            triples = _both_ways(triples, ways[1][0])
            at_tail = _both_ways(at_tail, at_head + np.int32(len(tails)))
            tails, heads = np.concatenate([tails, heads]), heads[:0]
            at_head, margins = np.zeros_like(at_tail), _of_both_ways(margins)
        known = Known(
            hand.n_rows,
            self.tail_rate,
            *(tails, at_tail, heads, at_head, marks),
            same_position=0.0,
            seen=heads[:0],
            seen_first=np.zeros((2, len(self.tail_rate) + 1), np.int64),
        )
        return Asked(triples, known, margins)

    def _side(
        self, hand: RowsAtHand, buckets: Buckets, triples: Triples, side: str, threads: int
    ) -> _Side:
        """The answers at hand of the questions of one side."""
        groups = np.concatenate([arrays[f"{side}_group"] for arrays in buckets.values()])
        place = triples[:, _COLUMNS[side]] // self._graph.layout.rows
        partitions = sorted({partition for pair in buckets for partition in pair})
        mine = [np.flatnonzero(place == hand.place[partition]) for partition in partitions]
        spans = np.empty((len(triples), 2), np.int32)
        found: list[Ids] = [np.empty(0, np.int32) for _ in partitions]

        def work(_: int, start: int, stop: int) -> None:
            for n in range(start, stop):
                if len(mine[n]):
                    answers = self._answers(partitions[n], side)
                    found[n], spans[mine[n]] = _at_hand(
                        groups[mine[n]], answers, self._windows(hand, partitions[n])
                    )

        over_spans(work, len(partitions), min(threads, len(partitions)))
        before = 0
        for which, some in zip(mine, found, strict=True):
            spans[which] += np.int32(before)
            before += len(some)
        return _Side(np.concatenate(found), spans, mine)

    def _answers(self, partition: int, side: str) -> Answers:
        name = around_path(self._graph.folder, partition).name
        if name not in self._checked:
            check_file(self._graph.folder, self._graph.record, name)
            self._checked.add(name)
        around = self._graph.around(partition)
        return Answers(*(around[f"{side}.{n}"] for n in ("positive_ptr", "positive", "neighbour")))

    def _windows(self, hand: RowsAtHand, partition: int) -> Windows:
        """Where a partition's neighbours at hand are, by their numbers."""
        layout, found = self._graph.layout, []
        for other, place in sorted(hand.place.items(), key=lambda there: there[1]):
            begin = (other - partition) % layout.partitions * layout.rows
            found.append((begin, begin + layout.size(other), place * layout.rows - begin))
        return Windows(*np.ascontiguousarray(np.array(found, np.int64).T))

    def _marks(self, sides: list[_Side], ways: list[tuple[Triples, int]]) -> NDArray[np.uint64]:
        """What tells quickly that a corruption is not known; the listwise loss does not ask."""
        if self._recipe.loss == "listwise":
            return no_marks(0)
        marks = no_marks(sum(len(side.found) for side in sides))
        for side, (triples, column) in zip(sides, ways, strict=True):
            for which in side.mine:
                mark_answers(triples[which], column, side.spans[which], side.found, marks)
        return marks


def _at_hand(groups: Ids, answers: Answers, windows: Windows) -> tuple[Ids, Ids]:
    """What is at hand of the answers of these groups, and the span of each."""
    spans = np.empty((len(groups), 2), np.int32)
    ends = np.full((len(answers.first) - 1, 2), -1, np.int32)
    found = np.empty(count_answers(groups, answers, windows, ends, spans), np.int32)
    fill_answers(groups, answers, windows, spans, found)
    return found, spans


def _moved(hand: RowsAtHand, pair: Pair, arrays: Arrays) -> Triples:
    """A bucket's triples, ids being positions among the rows at hand."""
    triples: Triples = arrays["triples"].copy()
    for column in (0, 2):
        triples[:, column] = hand.ids(triples[:, column], pair)
    return triples


def _both_ways(forth: NDArray[Any], back: NDArray[Any]) -> NDArray[Any]:
    """What is of triples and of their inverses, in turn; a triple is far from its own inverse."""
    found = np.empty((2 * len(forth), *forth.shape[1:]), forth.dtype)
    found[::2], found[1::2] = forth, np.roll(back, len(back) // 2, axis=0)
    return found


def _of_both_ways(margins: TripleMargins) -> TripleMargins:
    """The same of margins: what an inverse is anchored at stands at the head."""
    groups = _both_ways(margins.head_group, margins.tail_group + np.int32(len(margins.at_head)))
    nobody, nothing = np.zeros_like(groups), np.zeros(1, np.float32)
    return TripleMargins(
        groups, np.concatenate([margins.at_head, margins.at_tail]), nobody, nothing
    )
