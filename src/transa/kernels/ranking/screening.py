"""Squared distances screened by matrix products: most candidates need no more than that.

‖q − x‖² = ‖q‖² + ‖x‖² − 2 q·x takes a third of the time of a sum of squared differences, but
rounds otherwise. How far it can be off is bounded; candidates whose order with the true answer the
bound leaves open, one in a thousand, are compared by the sums of `counting`. So the
counts are the very same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from transa.kernels.jit import exact_inline, exact_kernel
from transa.kernels.ranking.best import Asked, insert, is_new
from transa.kernels.ranking.counting import BETTER, EQUAL, KNOWN_BETTER, KNOWN_EQUAL, Questions

_UNIT_ROUNDOFF = 2.0**-24


@exact_inline
def _squared_distance(
    entity: NDArray[np.float32],
    e: int,
    points: NDArray[np.float32],
    q: int,
    shifts: NDArray[np.float32],
    shift: int,
) -> np.float32:
    """‖(e + shift) − point‖², by the same sum as in `counting`."""
    total = np.float32(0)
    for x in range(points.shape[1]):
        difference = points[q, x] - (entity[e, x] + shifts[shift, x])
        total += difference * difference
    return total


@exact_inline
def _band(d: int, reach: float) -> float:
    """How far a squared distance by products can be off.

    Each of the sums of d terms is off by at most d roundings of its absolute terms, which are at
    most reach² together; four covers all of them, and what rounding of q and e + shift adds.
    """
    return 4 * (d + 8) * _UNIT_ROUNDOFF * reach * reach


@exact_kernel
def count_known(
    entity: NDArray[np.float32],
    points: NDArray[np.float32],
    shifts: NDArray[np.float32],
    shift_of: NDArray[np.int64],
    questions: Questions,
    truths: NDArray[np.float32],
    counts: NDArray[np.int64],
) -> None:
    """Compare the known answers with each answer that is asked for."""
    for q in range(len(points)):
        for i in range(questions.known_start[q], questions.known_stop[q]):
            other = questions.known[i]
            energy = _squared_distance(entity, other, points, q, shifts, shift_of[q])
            for k in range(questions.first[q], questions.first[q + 1]):
                if other != questions.answers[k]:
                    counts[k, KNOWN_BETTER] += energy < truths[k]
                    counts[k, KNOWN_EQUAL] += energy == truths[k]


@exact_kernel
def screen(
    products: NDArray[np.float32],
    first_question: int,
    first_entity: int,
    entity: NDArray[np.float32],
    squares: NDArray[np.float32],
    points: NDArray[np.float32],
    point_squares: NDArray[np.float32],
    shifts: NDArray[np.float32],
    shift_of: NDArray[np.int64],
    reach: NDArray[np.float64],
    questions: Questions,
    truths: NDArray[np.float32],
    counts: NDArray[np.int64],
) -> None:
    """Count the candidates of a block that are better than the answers, or as good.

    `products` are q·x, a row a question from `first_question` on and a column a candidate from
    `first_entity` on. `squares` are ‖x‖² of all candidates, `point_squares` ‖q‖² per question, of
    the point less its shift. `reach` is, per question, ‖point‖ + ‖shift‖ + the greatest ‖x‖ there
    is. `truths` are the squared distances of the answers. All else: see `count_translations`.
    """
    rows, columns = products.shape
    for row in range(rows):
        q = first_question + row
        for j in range(columns):
            products[row, j] = squares[first_entity + j] - np.float32(2) * products[row, j]
        band = _band(entity.shape[1], reach[q])
        for k in range(questions.first[q], questions.first[q + 1]):
            surely = np.float32(truths[k] - point_squares[q] - band)
            possibly = np.float32(truths[k] - point_squares[q] + band)
            better, near = 0, 0
            for j in range(columns):
                better += products[row, j] < surely
                near += products[row, j] <= possibly
            counts[k, BETTER] += better
            if near == better:
                continue
            for j in range(columns):
                if surely <= products[row, j] <= possibly:
                    e = first_entity + j
                    energy = _squared_distance(entity, e, points, q, shifts, shift_of[q])
                    counts[k, BETTER] += energy < truths[k]
                    counts[k, EQUAL] += energy == truths[k]


@exact_kernel
def screen_best(
    products: NDArray[np.float32],
    first_question: int,
    first_entity: int,
    entity: NDArray[np.float32],
    squares: NDArray[np.float32],
    points: NDArray[np.float32],
    point_squares: NDArray[np.float32],
    shifts: NDArray[np.float32],
    shift_of: NDArray[np.int64],
    reach: NDArray[np.float64],
    asked: Asked,
    best: NDArray[np.float32],
    best_id: NDArray[np.int64],
) -> None:
    """Offer the candidates of a block to each question, as `best_by_translation` does.

    `asked`, `best` and `best_id` are as there, all else as in `screen`.
    """
    rows, columns = products.shape
    for row in range(rows):
        q = first_question + row
        bound = best[q, -1] - point_squares[q] + _band(entity.shape[1], reach[q])
        near = 0
        for j in range(columns):
            products[row, j] = squares[first_entity + j] - np.float32(2) * products[row, j]
            near += products[row, j] <= bound
        if near == 0:
            continue
        for j in range(columns):
            # The worst of the best falls as better ones are found.
            if products[row, j] <= best[q, -1] - point_squares[q] + _band(
                entity.shape[1], reach[q]
            ) and is_new(first_entity + j, q, asked):
                e = first_entity + j
                energy = _squared_distance(entity, e, points, q, shifts, shift_of[q])
                if energy < best[q, -1]:
                    insert(energy, e, best[q], best_id[q])
