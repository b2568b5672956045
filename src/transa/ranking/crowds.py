"""Questions with a crowd of answers, as hubs have: all energies once, put in order.

To compare every answer with every candidate and with every other known one takes the square of a
hub's degree; in order, a search tells how many are before an answer. The counts are the very same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from transa.kernels.ranking.counting import (
    BETTER,
    EQUAL,
    KNOWN_BETTER,
    KNOWN_EQUAL,
    Questions,
    true_energies,
)

Counts: TypeAlias = NDArray[np.int64]

# Answers of a question from which on a sort of all energies is the less work.
CROWD = 256


@contextmanager
def crowds_counted(
    questions: Questions, counts: Counts, energies_of: Callable[[int], NDArray[np.float32]]
) -> Iterator[tuple[Questions, Counts]]:
    """Count the questions with a crowd of answers; the others are handed out to be compared.

    Fills `counts`, (answers, 4), by the energies of all entities as answers to a question.
    """
    sizes = np.diff(questions.first)
    crowds = np.flatnonzero(sizes >= CROWD)
    if len(crowds) == 0:
        yield questions, counts
        return
    for q in crowds.tolist():
        asked_for = slice(questions.first[q], questions.first[q + 1])
        known = questions.known[questions.known_start[q] : questions.known_stop[q]]
        counts[asked_for] = count_in_order(energies_of(q), questions.answers[asked_for], known)
    others = np.repeat(sizes < CROWD, sizes)
    left = np.where(sizes < CROWD, sizes, 0)
    found = counts[others]
    yield (
        questions._replace(first=np.append(0, np.cumsum(left)), answers=questions.answers[others]),
        found,
    )
    counts[others] = found


def energies_of_all(
    entity: NDArray[np.float32],
    point: NDArray[np.float32],
    shift: NDArray[np.float32],
    squared: bool,
) -> NDArray[np.float32]:
    """‖(e + shift) − point‖ of all entities e, by the same sums as in a block."""
    everyone = np.arange(len(entity), dtype=np.int32)
    none = np.zeros(1, dtype=np.int64)
    every = Questions(np.array([0, len(entity)]), everyone, none, none, everyone)
    return true_energies(entity, point[None], shift[None], none, squared, every)


def count_in_order(
    energies: NDArray[np.float32], answers: NDArray[np.int32], known: NDArray[np.int32]
) -> Counts:
    """The counts of a question's answers."""
    counts = np.empty((len(answers), 4), dtype=np.int64)
    truths = energies[answers]
    for better, equal, some in (
        (BETTER, EQUAL, energies),
        (KNOWN_BETTER, KNOWN_EQUAL, energies[known]),
    ):
        in_order = np.sort(some)
        counts[:, better] = np.searchsorted(in_order, truths, "left")
        counts[:, equal] = np.searchsorted(in_order, truths, "right") - counts[:, better]
    # No answer is another one than itself.
    counts[:, KNOWN_EQUAL] -= np.isin(answers, known)
    return counts
