"""A row stepped against a gradient that has been written down."""

from __future__ import annotations

import numpy as np

from transa.kernels.jit import inline
from transa.kernels.training.optimisers import (
    ADAM,
    Table,
    apply_adam,
    keep_in_ball,
    row_step,
    squared_length,
)
from transa.kernels.training.step import Rule

_ZERO, _ONE = np.float32(0), np.float32(1)


@inline
def descend(table: Table, row: int, gradient: np.ndarray, rule: Rule, size: int) -> np.float32:
    """Step a row of `size` weights; its new squared length, 0 where the gradient is.

    A row whose gradient is zero stays as it is, moments and all.
    """
    square = squared_length(gradient, size)
    if square == _ZERO:
        return _ZERO
    if rule.optimiser == ADAM:
        return apply_adam(table, row, gradient, _ONE, rule.rate, size)
    step = row_step(rule.optimiser, rule.rate, table.sums, row, square / np.float32(size))
    square = _ZERO
    for k in range(size):
        moved = table.rows[row, k] - step * gradient[k]
        table.rows[row, k] = moved
        square += moved * moved
    return square


@inline
def descend_entity(entity: Table, row: int, gradient: np.ndarray, rule: Rule) -> None:
    """Step an entity, and keep it where it must be."""
    square = descend(entity, row, gradient, rule, rule.dim)
    if rule.ball:
        keep_in_ball(entity.rows, row, square, rule.dim)
