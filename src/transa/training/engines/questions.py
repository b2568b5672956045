"""Training triples as questions, (h, r, ?) and (?, r, t), each with all its answers.

Triples that share a question share the energies of its candidates, which are then computed once: on
FB15K, half a million triples ask some 270,000 questions and not a million.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from transa.graph import Triples
from transa.kernels.training.sampling import TAIL
from transa.training.engines.batching import alone, together


@dataclass(frozen=True, eq=False)
class QuestionBatch:
    """Distinct questions of one side.

    Attributes:
        side: which side is asked for, `HEAD` or `TAIL`.
        anchor: per question, the entity that is given.
        relation: per question, or the only one of all.
        asked: per answer, the number of the question that it answers.
        answer: the entities that are true, one per training triple.
        triple: per answer, the number of that triple.
    """

    side: int
    anchor: NDArray[np.int64]
    relation: NDArray[np.int64]
    asked: NDArray[np.int64]
    answer: NDArray[np.int64]
    triple: NDArray[np.int64]


def batches(
    triples: Triples,
    sides: tuple[int, ...],
    size: int,
    rng: np.random.Generator,
    *,
    by_relation: bool = False,
    most: float = math.inf,
) -> list[QuestionBatch]:
    """Questions in an order drawn at random, so many at a time.

    Args:
        triples: that answer them.
        sides: that are asked for, of `HEAD` and `TAIL`.
        size: of a batch, at most.
        rng: draws the order.
        by_relation: whether a batch has one relation, if that has enough questions.
        most: questions times answers of a batch, unless it is one question.
    """
    found = [
        batch for side in sides for batch in _batches(triples, side, size, rng, by_relation, most)
    ]
    return [found[number] for number in rng.permutation(len(found))]


def _batches(
    triples: Triples, side: int, size: int, rng: np.random.Generator, by_relation: bool, most: float
) -> Iterator[QuestionBatch]:
    anchor, answer = (0, 2) if side == TAIL else (2, 0)
    pairs = triples[:, [1, anchor]].astype(np.int64)
    keys = pairs[:, 0] * (pairs[:, 1].max() + 1) + pairs[:, 1]
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    shuffled = rng.permutation(len(first))
    starts = [*range(0, len(first), size), len(first)]
    if by_relation:
        order, starts = together(pairs[first[shuffled], 0], size)
        shuffled = shuffled[order]
    # The place of each triple's question in the shuffled order, and the triples sorted by it.
    place = np.argsort(shuffled)[number]
    order = np.argsort(place, kind="stable")
    place, answers = place[order], triples[order, answer].astype(np.int64)
    begins = np.searchsorted(place, np.arange(len(first) + 1))
    for start, stop in chain.from_iterable(
        _parts(*span, begins, most) for span in pairwise(starts)
    ):
        relation, given = pairs[first[shuffled[start:stop]]].T
        begin, end = begins[start], begins[stop]
        yield QuestionBatch(
            *(side, given, alone(relation)),
            asked=place[begin:end] - start,
            answer=answers[begin:end],
            triple=order[begin:end],
        )


def _parts(
    start: int, stop: int, begins: NDArray[np.int64], most: float
) -> Iterator[tuple[int, int]]:
    """The questions start..stop-1, halved until their number times that of their answers will do.

    The answers of a hub are candidates of all that are asked beside it.
    """
    if stop - start == 1 or (stop - start) * (begins[stop] - begins[start]) <= most:
        yield start, stop
    else:
        middle = (start + stop) // 2
        yield from _parts(start, middle, begins, most)
        yield from _parts(middle, stop, begins, most)
