"""Rows moved by their gradients and by the penalty on their size, in one pass."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from transa.kernels.jit import inline, lean_kernel
from transa.kernels.training.optimisers import Table, descend, keep_in_ball

_ZERO, _TWO, _THREE = np.float32(0), np.float32(2), np.float32(3)


class RowRule(NamedTuple):
    """How rows move.

    Attributes:
        optimiser: of `transa.kernels.training.optimisers`.
        rate: learning rate.
        ball: whether rows are kept in the unit ball.
        l2: weight of a row's squared length.
        n3: weight of the cubes of its numbers.
        of_moduli: whether the second half of a row are imaginary parts, and cubes those of moduli.
    """

    optimiser: int
    rate: np.float32
    ball: bool
    l2: np.float32
    n3: np.float32
    of_moduli: bool


@lean_kernel
def descend_rows(
    table: Table,
    ids: np.ndarray,
    gradients: np.ndarray,
    weights: np.ndarray,
    rule: RowRule,
) -> float:
    """Move distinct rows of a table; the sum of their penalties.

    Args:
        table: whose rows move.
        ids: int64 (n,), which.
        gradients: float32 (n, d), of the loss by them; the penalty's is added in place.
        weights: float32 (n,), how often each is penalised.
        rule: how.
    """
    size = table.rows.shape[1]
    total = 0.0
    for i in range(len(ids)):
        row, gradient = ids[i], gradients[i]
        if weights[i] > _ZERO:
            total += weights[i] * _penalise(table.rows[row], gradient, weights[i], rule, size)
        square = descend(table, row, gradient, rule, size)
        if rule.ball:
            keep_in_ball(table.rows, row, square, size)
    return total


@inline
def _penalise(
    x: np.ndarray, gradient: np.ndarray, weight: np.float32, rule: RowRule, size: int
) -> np.float32:
    """Add the penalty's gradient, so many times; the penalty, once."""
    penalty = _ZERO
    if rule.l2 > _ZERO:
        squares, factor = _ZERO, weight * _TWO * rule.l2
        for k in range(size):
            squares += x[k] * x[k]
            gradient[k] += factor * x[k]
        penalty += rule.l2 * squares
    if rule.n3 > _ZERO:
        cubes, factor = _ZERO, weight * _THREE * rule.n3
        if rule.of_moduli:
            half = size // 2
            for k in range(half):
                square = x[k] * x[k] + x[half + k] * x[half + k]
                modulus = np.float32(math.sqrt(square))
                cubes += square * modulus
                gradient[k] += factor * modulus * x[k]
                gradient[half + k] += factor * modulus * x[half + k]
        else:
            for k in range(size):
                modulus = abs(x[k])
                cubes += modulus * x[k] * x[k]
                gradient[k] += factor * modulus * x[k]
        penalty += rule.n3 * cubes
    return penalty
