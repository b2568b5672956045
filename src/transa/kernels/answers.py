"""The known answers of questions that are among the entities at hand.

Answers of a group (an anchor and a relation) are kept in the order of numbers that count on from
the anchor's own partition. A partition at hand is a window of these numbers: those inside it have
their place among the rows at hand when `moves` is added. Windows follow each other by place, so
that what is found is in order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from transa.kernels.jit import inline, kernel
from transa.kernels.training.sampling import mark_triple


class Answers(NamedTuple):
    """The answers of a partition's groups, on one side.

    Attributes:
        first: where those of each group begin, and the last's end.
        place: of each answer, where its number stands.
        number: of neighbours.
    """

    first: np.ndarray
    place: np.ndarray
    number: np.ndarray


class Windows(NamedTuple):
    """The partitions at hand: where their numbers begin and end, and what leads to their rows."""

    begins: np.ndarray
    ends: np.ndarray
    moves: np.ndarray


@inline
def _bound(answers: Answers, start: int, stop: int, wanted: int) -> int:
    """The first answer from start on whose number is at least that wanted; stop, if none is."""
    while start < stop:
        middle = (start + stop) >> 1
        if answers.number[answers.place[middle]] < wanted:
            start = middle + 1
        else:
            stop = middle
    return start


@kernel
def count_answers(
    groups: np.ndarray, answers: Answers, windows: Windows, ends: np.ndarray, spans: np.ndarray
) -> int:
    """Fill each triple's span of what `fill_answers` will find for its group; how much that is.

    `ends` is room for two numbers a group, -1 at first.
    """
    total = 0
    for i in range(groups.shape[0]):
        g = groups[i]
        if ends[g, 0] < 0:
            ends[g, 0] = total
            at, stop = answers.first[g], answers.first[g + 1]
            for w in range(windows.begins.shape[0]):
                begin = _bound(answers, at, stop, windows.begins[w])
                total += _bound(answers, begin, stop, windows.ends[w]) - begin
            ends[g, 1] = total
        spans[i, 0], spans[i, 1] = ends[g, 0], ends[g, 1]
    return total


@kernel
def fill_answers(
    groups: np.ndarray, answers: Answers, windows: Windows, spans: np.ndarray, found: np.ndarray
) -> None:
    """The answers at hand of every group, as rows at hand, in the order in which triples ask."""
    filled = 0
    for i in range(groups.shape[0]):
        if spans[i, 0] == filled:
            g = groups[i]
            at, stop = answers.first[g], answers.first[g + 1]
            for w in range(windows.begins.shape[0]):
                begin = _bound(answers, at, stop, windows.begins[w])
                for a in range(begin, _bound(answers, begin, stop, windows.ends[w])):
                    found[filled] = answers.number[answers.place[a]] + windows.moves[w]
                    filled += 1


@kernel
def mark_answers(
    triples: np.ndarray, column: int, spans: np.ndarray, found: np.ndarray, marks: np.ndarray
) -> None:
    """Mark all triples that these answers make; they stand in that column.

    These are triples of one partition, so that their groups follow each other in what was found.
    """
    done = spans[0, 0] if triples.shape[0] else 0
    for i in range(triples.shape[0]):
        if spans[i, 0] == done:
            h, r, t = triples[i, 0], triples[i, 1], triples[i, 2]
            for a in range(spans[i, 0], spans[i, 1]):
                if column == 0:
                    mark_triple(found[a], r, t, marks)
                else:
                    mark_triple(h, r, found[a], marks)
            done = spans[i, 1]
