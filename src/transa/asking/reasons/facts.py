"""Known facts, looked up for many pairs at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transa.graph.known import Answers, KnownIndex

Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Step:
    """One known fact seen from an entity: its relation, whether it leads away, and to whom."""

    relation: Ids
    outgoing: NDArray[np.bool_]
    other: Ids


def has(index: KnownIndex, relation: int, heads: Ids, tails: Ids) -> NDArray[np.bool_]:
    """Whether (head, relation, tail) is known, of each of these pairs."""
    answers = index.tails.answers
    low, stop = index.tails.spans(relation * index.n_entities + heads)
    low, high = low.copy(), stop.copy()
    # A search by halves, of all pairs at once.
    while True:
        still = low < high
        if not still.any():
            break
        middle = (low + high) // 2
        less = still.copy()
        less[still] = answers[middle[still]] < tails[still]
        low, high = np.where(less, middle + 1, low), np.where(still & ~less, middle, high)
    found = low < stop
    found[found] = answers[low[found]] == tails[found]
    return found


def questions_of(answers: Answers, relation: int, n_entities: int) -> tuple[int, int]:
    """The questions first .. last − 1 are those of this relation."""
    first, last = np.searchsorted(
        answers.keys, [relation * n_entities, (relation + 1) * n_entities]
    )
    return int(first), int(last)


def anchors_of(answers: Answers, relation: int, n_entities: int) -> Ids:
    """The entities that stand in one place of a relation, ascending."""
    first, last = questions_of(answers, relation, n_entities)
    return answers.keys[first:last] - relation * np.int64(n_entities)


def pairs_of(index: KnownIndex, relation: int) -> tuple[Ids, Ids]:
    """The heads and tails of all known facts of a relation."""
    answers = index.tails
    first, last = questions_of(answers, relation, index.n_entities)
    sizes = np.diff(answers.first[first : last + 1])
    heads = np.repeat(anchors_of(answers, relation, index.n_entities), sizes)
    return heads, answers.answers[answers.first[first] : answers.first[last]].astype(np.int64)


def steps_from(index: KnownIndex, entity: int) -> Step:
    """All known facts that have the entity, seen from it."""
    outgoing = _answers_of_all_relations(index.tails, entity, index)
    incoming = _answers_of_all_relations(index.heads, entity, index)
    return Step(
        relation=np.concatenate([outgoing[0], incoming[0]]),
        outgoing=np.repeat([True, False], [len(outgoing[0]), len(incoming[0])]),
        other=np.concatenate([outgoing[1], incoming[1]]),
    )


def _answers_of_all_relations(answers: Answers, anchor: int, index: KnownIndex) -> tuple[Ids, Ids]:
    relations = np.arange(index.n_relations, dtype=np.int64)
    start, stop = answers.spans(relations * index.n_entities + anchor)
    places, sizes = spread(start, stop)
    return np.repeat(relations, sizes), answers.answers[places].astype(np.int64)


def spread(start: Ids, stop: Ids) -> tuple[Ids, Ids]:
    """The positions start[i] .. stop[i] − 1 of all i in a row, and how many each i has."""
    sizes = stop - start
    return np.repeat(start - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum()), sizes
