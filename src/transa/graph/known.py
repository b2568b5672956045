"""What is known to be true, indexed by question: what a filtered rank leaves out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from transa.graph import Triples
from transa.graph.sorting import order_by

Side: TypeAlias = Literal["head", "tail"]
"""The side that is asked for."""

SIDES: tuple[Side, Side] = ("head", "tail")


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
    """

    keys: NDArray[np.int64]
    first: NDArray[np.int64]
    answers: NDArray[np.int32]

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
    """Known triples, looked up from either side. Built once, used at every look.

    Takes 4 bytes a triple and 16 bytes a distinct (anchor, relation), for each side.
    """

    n_entities: int
    n_relations: int
    heads: Answers
    tails: Answers

    @classmethod
    def of(cls, triples: Triples, n_entities: int, n_relations: int) -> KnownIndex:
        """Index triples; repeated ones count once."""
        return cls(
            n_entities,
            n_relations,
            heads=_answers(triples, "head", n_entities),
            tails=_answers(triples, "tail", n_entities),
        )

    def answers(self, side: Side) -> Answers:
        """The known answers of the side asked for."""
        return self.heads if side == "head" else self.tails


def question_keys(triples: Triples, side: Side, n_entities: int) -> NDArray[np.int64]:
    """One integer per triple: its relation and its anchor, the relation first."""
    anchor, _ = columns_of(side)
    return triples[:, 1].astype(np.int64) * n_entities + triples[:, anchor]


def _answers(triples: Triples, side: Side, n_entities: int) -> Answers:
    anchor, answer = columns_of(side)
    ordered = triples[order_by(triples, (1, anchor, answer))]
    keys = question_keys(ordered, side, n_entities)
    answers = ordered[:, answer]
    repeated = np.zeros(len(ordered), dtype=bool)
    repeated[1:] = (keys[1:] == keys[:-1]) & (answers[1:] == answers[:-1])
    distinct, first = np.unique(keys[~repeated], return_index=True)
    ends = np.append(first, np.count_nonzero(~repeated))
    return Answers(distinct, ends.astype(np.int64), answers[~repeated])
