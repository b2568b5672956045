"""How many candidates have a lower energy than the true answer, without keeping the energies.

The candidates of a question are all entities. A block of them is transposed, so that a vector
register holds one dimension of eight entities, and stays in the innermost cache while question
after question is put to it.

Energies are sums in the order of the dimensions, compiled without reassociation. So a candidate in
a block, the true answer by itself, the head's side and the tail's side all give the very same bits
for the same triple, and ties are ties.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from transa.kernels.jit import exact_inline, exact_kernel

# Entities in a block. At d = 100 a block is 26 KB, just within a 32 KB cache; fewer entities leave
# too little work between the overheads of a pass.
BLOCK = 64

# Columns of the counts. The true answer counts as equal to itself, and never as known.
BETTER, EQUAL, KNOWN_BETTER, KNOWN_EQUAL = 0, 1, 2, 3


class Questions(NamedTuple):
    """Who is asked for, and which other answers are known, question by question.

    Attributes:
        first: question q asks for the answers first[q] .. first[q + 1] − 1.
        answers: int32, the true answers that are to be ranked.
        known_start: question q has the known answers known[known_start[q]] ..
        known_stop: .. known[known_stop[q] − 1].
        known: int32, ascending within a question.
    """

    first: NDArray[np.int64]
    answers: NDArray[np.int32]
    known_start: NDArray[np.int64]
    known_stop: NDArray[np.int64]
    known: NDArray[np.int32]


@exact_kernel
def count_translations(
    entity: NDArray[np.float32],
    points: NDArray[np.float32],
    shifts: NDArray[np.float32],
    shift_of: NDArray[np.int64],
    squared: bool,
    questions: Questions,
    counts: NDArray[np.int64],
) -> None:
    """Compare all entities e by ‖(e + shift) − point‖, in L1 or squared L2, with each answer.

    Args:
        entity: the vectors of the candidates.
        points: one vector a question.
        shifts: vectors, one of which moves the candidates of a question.
        shift_of: row of `shifts` per question. Questions of one shift should be neighbours, for a
            block is moved anew when the shift changes.
        squared: squared L2 in place of L1.
        questions: what is asked.
        counts: (answers, 4), added to.
    """
    n, d = entity.shape
    truths = true_energies(entity, points, shifts, shift_of, squared, questions)
    block = np.zeros(d * BLOCK, np.float32)
    moved = np.zeros(d * BLOCK, np.float32)
    energies = np.empty(BLOCK, np.float32)
    next_known = questions.known_start.copy()
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        transpose(entity[start:stop], block)
        shift = -1
        for q in range(len(points)):
            if shift_of[q] != shift:
                shift = shift_of[q]
                move(block, shifts[shift], moved)
            if squared:
                squared_l2_of_block(moved, points[q], energies)
            else:
                l1_of_block(moved, points[q], energies)
            begin = end = next_known[q]
            while end < questions.known_stop[q] and questions.known[end] < stop:
                end += 1
            next_known[q] = end
            known = questions.known[begin:end]
            for k in range(questions.first[q], questions.first[q + 1]):
                answer = questions.answers[k]
                _tally(energies[: stop - start], start, truths[k], answer, known, counts[k])


@exact_kernel
def count_energies(
    energies: NDArray[np.float32], questions: Questions, counts: NDArray[np.int64]
) -> None:
    """Compare energies that are given, a row of all entities per question, with each answer's."""
    for q in range(len(energies)):
        row = energies[q]
        known = questions.known[questions.known_start[q] : questions.known_stop[q]]
        for k in range(questions.first[q], questions.first[q + 1]):
            answer = questions.answers[k]
            _tally(row, 0, row[answer], answer, known, counts[k])


@exact_inline
def _tally(
    energies: NDArray[np.float32],
    start: int,
    truth: np.float32,
    answer: np.int32,
    known: NDArray[np.int32],
    count: NDArray[np.int64],
) -> None:
    """Add to one answer's counts the candidates start, start + 1, ..., of which some are known."""
    not_worse = 0
    for j in range(len(energies)):
        not_worse += energies[j] <= truth
    if not_worse == 0:  # so it is with most blocks, once a model is trained
        return
    better = 0
    for j in range(len(energies)):
        better += energies[j] < truth
    count[BETTER] += better
    count[EQUAL] += not_worse - better
    for other in known:
        if other != answer:
            energy = energies[other - start]
            count[KNOWN_BETTER] += energy < truth
            count[KNOWN_EQUAL] += energy == truth


@exact_kernel
def true_energies(
    entity: NDArray[np.float32],
    points: NDArray[np.float32],
    shifts: NDArray[np.float32],
    shift_of: NDArray[np.int64],
    squared: bool,
    questions: Questions,
) -> NDArray[np.float32]:
    """The energy of each answer, by the same sums as in a block."""
    truths = np.zeros(len(questions.answers), np.float32)
    for q in range(len(points)):
        shift, point = shifts[shift_of[q]], points[q]
        for k in range(questions.first[q], questions.first[q + 1]):
            answer = entity[questions.answers[k]]
            for x in range(len(point)):
                difference = point[x] - (answer[x] + shift[x])
                truths[k] += difference * difference if squared else abs(difference)
    return truths


@exact_inline
def transpose(rows: NDArray[np.float32], block: NDArray[np.float32]) -> None:
    """Lay out the rows dimension by dimension; what is beyond them is never counted."""
    for j in range(rows.shape[0]):
        for x in range(rows.shape[1]):
            block[x * BLOCK + j] = rows[j, x]


@exact_inline
def move(
    block: NDArray[np.float32], shift: NDArray[np.float32], moved: NDArray[np.float32]
) -> None:
    """Add a shift to the entities of a block."""
    for x in range(len(shift)):
        row, moved_row = block[x * BLOCK : (x + 1) * BLOCK], moved[x * BLOCK : (x + 1) * BLOCK]
        for j in range(BLOCK):
            moved_row[j] = row[j] + shift[x]


# The two norms take four dimensions a pass, so that the running sums are loaded and stored a
# quarter as often, and from one slice of the block, so that LLVM has one overlap to rule out.


@exact_inline
def l1_of_block(
    block: NDArray[np.float32], point: NDArray[np.float32], energies: NDArray[np.float32]
) -> None:
    """‖point − e‖₁ of the entities of a block."""
    d = len(point)
    energies[:] = 0
    for x in range(0, d - 3, 4):
        rows = block[x * BLOCK : (x + 4) * BLOCK]
        p0, p1, p2, p3 = point[x], point[x + 1], point[x + 2], point[x + 3]
        for j in range(BLOCK):
            total = energies[j] + abs(p0 - rows[j])
            total += abs(p1 - rows[BLOCK + j])
            total += abs(p2 - rows[2 * BLOCK + j])
            energies[j] = total + abs(p3 - rows[3 * BLOCK + j])
    for x in range(d - d % 4, d):
        row, p = block[x * BLOCK : (x + 1) * BLOCK], point[x]
        for j in range(BLOCK):
            energies[j] += abs(p - row[j])


@exact_inline
def squared_l2_of_block(
    block: NDArray[np.float32], point: NDArray[np.float32], energies: NDArray[np.float32]
) -> None:
    """‖point − e‖₂² of the entities of a block."""
    d = len(point)
    energies[:] = 0
    for x in range(0, d - 3, 4):
        rows = block[x * BLOCK : (x + 4) * BLOCK]
        p0, p1, p2, p3 = point[x], point[x + 1], point[x + 2], point[x + 3]
        for j in range(BLOCK):
            total = energies[j] + (p0 - rows[j]) ** 2
            total += (p1 - rows[BLOCK + j]) ** 2
            total += (p2 - rows[2 * BLOCK + j]) ** 2
            energies[j] = total + (p3 - rows[3 * BLOCK + j]) ** 2
    for x in range(d - d % 4, d):
        row, p = block[x * BLOCK : (x + 1) * BLOCK], point[x]
        for j in range(BLOCK):
            energies[j] += (p - row[j]) ** 2
