"""The best candidates of each question, without keeping the energies of the others.

As in `counting`, a block of candidates is transposed and stays in the innermost cache while
question after question is put to it. A question keeps its best so far in order; the worst of them
is a bound that falls as they get better, and a block with nothing below it costs one comparison a
candidate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from transa.kernels.jit import exact_inline, exact_kernel
from transa.kernels.ranking.counting import (
    BLOCK,
    l1_of_block,
    move,
    squared_l2_of_block,
    transpose,
)


class Asked(NamedTuple):
    """Questions (h, r, ?) of one relation, and what is no answer to them.

    Attributes:
        head: int64, the entity that each question gives.
        known_start: question q has the known answers known[known_start[q]] ..
        known_stop: .. known[known_stop[q] − 1].
        known: int32, ascending within a question.
        loops: whether an entity may be an answer about itself.
    """

    head: NDArray[np.int64]
    known_start: NDArray[np.int64]
    known_stop: NDArray[np.int64]
    known: NDArray[np.int32]
    loops: bool


@exact_kernel
def best_by_distance(
    points: NDArray[np.float32],
    rows: NDArray[np.float32],
    ids: NDArray[np.int64],
    squared: bool,
    asked: Asked,
    best: NDArray[np.float32],
    best_id: NDArray[np.int64],
) -> None:
    """Offer candidates to each question by ‖point − row‖, in L1 or squared L2.

    Args:
        points: one vector a question.
        rows: one vector a candidate.
        ids: of the candidates, ascending; so of equal ones the lowest come first.
        squared: squared L2 in place of L1.
        asked: the questions.
        best: (questions, c), ascending, the best energies so far; those never found are bounds that
            an answer must be below.
        best_id: (questions, c), whose they are; −1 where none was found.
    """
    d = points.shape[1]
    block = np.zeros(d * BLOCK, np.float32)
    energies = np.empty(BLOCK, np.float32)
    for start in range(0, len(rows), BLOCK):
        stop = min(start + BLOCK, len(rows))
        transpose(rows[start:stop], block)
        for q in range(len(points)):
            if squared:
                squared_l2_of_block(block, points[q], energies)
            else:
                l1_of_block(block, points[q], energies)
            _offer(energies[: stop - start], ids[start:stop], q, asked, best[q], best_id[q])


@exact_kernel
def best_by_translation(
    entity: NDArray[np.float32],
    points: NDArray[np.float32],
    shifts: NDArray[np.float32],
    shift_of: NDArray[np.int64],
    squared: bool,
    asked: Asked,
    best: NDArray[np.float32],
    best_id: NDArray[np.int64],
) -> None:
    """Offer all entities e by ‖(e + shift) − point‖, to the bit as `count_translations` has it.

    `points`, `shifts` and `shift_of` are as there, `asked`, `best` and `best_id` as in
    `best_by_distance`.
    """
    n, d = entity.shape
    block = np.zeros(d * BLOCK, np.float32)
    moved = np.zeros(d * BLOCK, np.float32)
    energies = np.empty(BLOCK, np.float32)
    ids = np.arange(n)
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
            _offer(energies[: stop - start], ids[start:stop], q, asked, best[q], best_id[q])


@exact_kernel
def best_of_energies(
    energies: NDArray[np.float32],
    ids: NDArray[np.int64],
    asked: Asked,
    best: NDArray[np.float32],
    best_id: NDArray[np.int64],
) -> None:
    """The same by energies that are given, a row a question and a column a candidate."""
    for q in range(len(energies)):
        _offer(energies[q], ids, q, asked, best[q], best_id[q])


@exact_inline
def _offer(
    energies: NDArray[np.float32],
    ids: NDArray[np.int64],
    q: int,
    asked: Asked,
    best: NDArray[np.float32],
    best_id: NDArray[np.int64],
) -> None:
    bound = best[-1]
    below = 0
    for j in range(len(energies)):
        below += energies[j] < bound
    if below == 0:
        return
    for j in range(len(energies)):
        if energies[j] < best[-1] and is_new(ids[j], q, asked):
            insert(energies[j], ids[j], best, best_id)


@exact_inline
def insert(
    energy: np.float32, id_: int, best: NDArray[np.float32], best_id: NDArray[np.int64]
) -> None:
    """Put a candidate in its place, behind those that are as good, which have lower ids."""
    place = len(best) - 1
    while place > 0 and best[place - 1] > energy:
        best[place], best_id[place] = best[place - 1], best_id[place - 1]
        place -= 1
    best[place], best_id[place] = energy, id_


@exact_inline
def is_new(candidate: int, q: int, asked: Asked) -> bool:
    """Whether it is no known answer, nor the head itself where no loops are."""
    if candidate == asked.head[q] and not asked.loops:
        return False
    low, stop = asked.known_start[q], asked.known_stop[q]
    high = stop
    while low < high:
        middle = (low + high) // 2
        if asked.known[middle] < candidate:
            low = middle + 1
        else:
            high = middle
    return low == stop or asked.known[low] != candidate
