"""What is known to be true, indexed by question: what ranks leave out and answers are marked by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from transa.graph.once import once
from transa.graph.sorting import order_by

if TYPE_CHECKING:
    from transa.graph.graph import Triples

Side: TypeAlias = Literal["head", "tail"]
"""The side that is asked for."""

SIDES: tuple[Side, Side] = ("head", "tail")

SPLITS = ("train", "valid", "test")

Question: TypeAlias = tuple[int | None, int | None, int | None]
"""Head, relation and tail ids, one of them left open."""

GAP = -1
"""Stands for None in arrays of questions, (n, 3)."""

# To sort the triples of a side takes as long as so many looks through all of them.
_LOOKS = 64


def columns_of(side: Side) -> tuple[int, int]:
    """The columns of a triple that hold the anchor, which is given, and the answer, asked for."""
    return (2, 0) if side == "head" else (0, 2)


@dataclass(frozen=True, eq=False)
class Answers:
    """The known answers of every question of one side, in compressed rows.

    Attributes:
        keys: relation · n_entities + anchor of each distinct question, ascending.
        first: question q has the answers first[q] .. first[q + 1] − 1.
        answers: distinct and ascending within a question.
        splits: for each answer, the number of the first split that has it.
    """

    keys: NDArray[np.int64]
    first: NDArray[np.int64]
    answers: NDArray[np.int32]
    splits: NDArray[np.uint8]

    def spans(self, keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the answers of these questions start and stop; nowhere for unknown questions."""
        place = np.searchsorted(self.keys, keys)
        found = place < len(self.keys)
        found[found] = self.keys[place[found]] == keys[found]
        start = self.first[place]
        stop = np.where(found, self.first[np.minimum(place + 1, len(self.keys))], start)
        return start, stop


@dataclass(frozen=True, eq=False)
class KnownIndex:
    """Known triples, looked up from either side; each side is sorted once, when first needed.

    Takes 5 bytes a triple and 16 bytes a distinct (anchor, relation), for each side.

    Attributes:
        triples: that are known, split by split; repeated ones count once.
        n_entities: how many there are.
        n_relations: how many there are.
        ends: where each split of them ends.
    """

    triples: Triples
    n_entities: int
    n_relations: int
    ends: tuple[int, ...] = ()
    _looks: list[int] = field(default_factory=lambda: [0], init=False, repr=False)

    @once
    def heads(self) -> Answers:
        """The known heads of every relation and tail."""
        return self._sorted(1, *columns_of("head"))

    @once
    def tails(self) -> Answers:
        """The known tails of every head and relation."""
        return self._sorted(1, *columns_of("tail"))

    @once
    def relations(self) -> Answers:
        """The known relations of every head and tail; a key is head · n_entities + tail."""
        return self._sorted(0, 2, 1)

    @once
    def has_loops(self) -> NDArray[np.bool_]:
        """Per relation, whether it leads from some entity to itself."""
        head, relation, tail = self.triples.T
        loops = np.zeros(self.n_relations, dtype=np.bool_)
        loops[relation[head == tail]] = True
        return loops

    def answers(self, side: Side) -> Answers:
        """The known answers of the side asked for."""
        return self.heads if side == "head" else self.tails

    def about(self, triples: Triples) -> KnownIndex:  # noqa: ARG002 (for those who look it up)
        """An index that knows all answers to the questions of these triples: this one."""
        return self

    def answers_a_question(self, side: Side) -> NDArray[np.float64]:
        """Per relation, how many answers its questions have on average; 0 if there are none."""
        answers = self.answers(side)
        relation = answers.keys // self.n_entities
        counts = np.bincount(relation, np.diff(answers.first), self.n_relations)
        mean: NDArray[np.float64] = counts / np.maximum(
            np.bincount(relation, minlength=self.n_relations), 1
        )
        return mean

    def of_gap(
        self, questions: NDArray[np.int64], gap: int
    ) -> tuple[Answers, NDArray[np.int64], NDArray[np.int64]]:
        """The answers of one column, and where those of each question (n, 3) start and stop."""
        first, second = ((1, 2), (0, 2), (1, 0))[gap]
        answers: Answers = getattr(self, ("heads", "relations", "tails")[gap])
        keys = questions[:, first] * self.n_entities + questions[:, second]
        return answers, *answers.spans(keys)

    def answers_to(self, question: Question) -> dict[int, str]:
        """The known answers of one question, each with the first split that has it."""
        side = "heads" if question[0] is None else "tails"
        self._looks[0] += 1
        if side not in vars(self) and self._looks[0] <= _LOOKS:
            answers, splits = self._look_through(question)
        else:
            answers, splits = self._look_up(question)
        names = (SPLITS[split] for split in splits.tolist())
        return dict(zip(answers.tolist(), names, strict=True))

    def _look_through(self, question: Question) -> tuple[NDArray[np.int32], NDArray[np.integer]]:
        given = [self.triples[:, i] == id_ for i, id_ in enumerate(question) if id_ is not None]
        # The last first, so that of repeated ones the first has the last word.
        rows = np.flatnonzero(np.logical_and(*given))[::-1]
        return self.triples[rows, question.index(None)], np.searchsorted(self.ends, rows, "right")

    def _look_up(self, question: Question) -> tuple[NDArray[np.int32], NDArray[np.integer]]:
        head, relation, tail = question
        side = self.answers("head" if head is None else "tail")
        anchor = tail if head is None else head
        assert anchor is not None  # noqa: S101 (one place is left open, and no more)
        relations = np.arange(self.n_relations) if relation is None else np.array([relation])
        start, stop = side.spans(relations * self.n_entities + anchor)
        if relation is not None:
            span = slice(int(start[0]), int(stop[0]))
            return side.answers[span], side.splits[span]
        # Of all tails that the head has, those that are the one given.
        sizes = stop - start
        places = np.repeat(start - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
        found = side.answers[places] == tail
        answers = np.repeat(relations, sizes)[found].astype(np.int32)
        return answers, side.splits[places[found]]

    def _sorted(self, first: int, second: int, answer: int) -> Answers:
        """The answers in one column to the questions of two others."""
        order = order_by(self.triples, (first, second, answer))
        ordered = self.triples[order]
        keys = ordered[:, first].astype(np.int64) * self.n_entities + ordered[:, second]
        answers = ordered[:, answer]
        kept = np.ones(len(ordered), dtype=np.bool_)
        kept[1:] = (keys[1:] != keys[:-1]) | (answers[1:] != answers[:-1])
        distinct, begin = np.unique(keys[kept], return_index=True)
        ends = np.append(begin, np.count_nonzero(kept)).astype(np.int64)
        splits = np.searchsorted(self.ends, order[kept], "right").astype(np.uint8)
        return Answers(distinct, ends, answers[kept], splits)


def question_keys(triples: Triples, side: Side, n_entities: int) -> NDArray[np.int64]:
    """One integer per triple: its relation and its anchor, the relation first."""
    anchor, _ = columns_of(side)
    return triples[:, 1].astype(np.int64) * n_entities + triples[:, anchor]
