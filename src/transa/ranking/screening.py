"""Counting squared distances by matrix products, to the bit what the sums would give."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from transa.kernels.ranking.counting import Questions, true_energies
from transa.kernels.ranking.screening import count_known, screen

# Questions and candidates of one product: with its factors it fits into a core's own cache.
_ROWS, _COLUMNS = 256, 256
# With fewer questions a product is no faster than sums.
FEWEST = 16


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread_a_product() -> AbstractContextManager[object]:
    """While it lasts, a matrix product takes one thread: ours share the work already."""
    limit: AbstractContextManager[object] = _libraries().limit(limits=1, user_api="blas")
    return limit


def count_by_products(
    entity: NDArray[np.float32],
    points: NDArray[np.float32],
    shifts: NDArray[np.float32],
    shift_of: NDArray[np.int64],
    questions: Questions,
    counts: NDArray[np.int64],
) -> None:
    """`transa.kernels.ranking.counting.count_translations` for squared distances."""
    truths = true_energies(entity, points, shifts, shift_of, True, questions)
    count_known(entity, points, shifts, shift_of, questions, truths, counts)
    queries = points - shifts[shift_of]
    squares, query_squares = _squares(entity), _squares(queries)
    longest = np.sqrt(squares.max())
    reach = np.sqrt(_squares(points)) + np.sqrt(_squares(shifts))[shift_of] + longest
    reach = reach.astype(np.float64)
    room = np.empty(_ROWS * _COLUMNS, dtype=np.float32)
    for start in range(0, len(entity), _COLUMNS):
        block = entity[start : start + _COLUMNS].T
        for first in range(0, len(queries), _ROWS):
            some = queries[first : first + _ROWS]
            products = room[: len(some) * block.shape[1]].reshape(len(some), -1)
            np.matmul(some, block, out=products)
            screen(
                products,
                first,
                start,
                entity,
                squares,
                points,
                query_squares,
                shifts,
                shift_of,
                reach,
                questions,
                truths,
                counts,
            )


def _squares(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """The squared length of each row."""
    squares: NDArray[np.float32] = np.einsum("ij,ij->i", rows, rows)
    return squares
