"""Counting squared distances by matrix products, to the bit what the sums would give."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from transa.kernels.ranking.best import Asked
from transa.kernels.ranking.counting import Questions, true_energies
from transa.kernels.ranking.screening import count_known, screen, screen_best

# Questions and candidates of one product: with its factors it fits into a core's own cache.
_ROWS, _COLUMNS = 256, 256
# With fewer questions a product is no faster than sums.
FEWEST = 16


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


_limits: list[Any] = []
_changing = Lock()


@contextmanager
def one_thread_a_product() -> Iterator[None]:
    """While it lasts, a matrix product takes one thread: ours share the work already.

    The libraries have one limit for all threads. Of several that rank at the same time the first
    sets it, and whoever is last puts back what was before.
    """
    with _changing:
        limit = _libraries().limit(limits=1, user_api="blas") if not _limits else _limits[0]
        _limits.append(limit)
    try:
        yield
    finally:
        with _changing:
            _limits.pop()
            if not _limits:
                limit.restore_original_limits()


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
    asked_of: tuple[Any, ...] = (questions, truths, counts)
    for block in _products(entity, points, shifts, shift_of):
        screen(*block, *asked_of)


def best_by_products(
    entity: NDArray[np.float32],
    points: NDArray[np.float32],
    shifts: NDArray[np.float32],
    shift_of: NDArray[np.int64],
    asked: Asked,
    best: NDArray[np.float32],
    best_id: NDArray[np.int64],
) -> None:
    """`transa.kernels.ranking.best.best_by_translation` for squared distances."""
    room: tuple[Any, ...] = (asked, best, best_id)
    for block in _products(entity, points, shifts, shift_of):
        screen_best(*block, *room)


def _products(
    entity: NDArray[np.float32],
    points: NDArray[np.float32],
    shifts: NDArray[np.float32],
    shift_of: NDArray[np.int64],
) -> Iterator[tuple[Any, ...]]:
    """Products of questions and candidates, block by block, and what `screen` judges them by."""
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
            yield (
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
            )


def _squares(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """The squared length of each row."""
    squares: NDArray[np.float32] = np.einsum("ij,ij->i", rows, rows)
    return squares
