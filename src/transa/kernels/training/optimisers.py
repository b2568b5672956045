"""Optimisers, one row at a time: SGD, row-wise Adagrad, Adam."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from transa.kernels.jit import inline
from transa.kernels.training.step import Rule

SGD, ADAGRAD, ADAM = 0, 1, 2

# Kept apart from zero so that the first update of a row is not a division by zero.
ADAGRAD_EPSILON = np.float32(1e-10)
ADAM_BETA_1, ADAM_BETA_2, ADAM_EPSILON = np.float32(0.9), np.float32(0.999), np.float32(1e-8)
_ZERO, _ONE = np.float32(0), np.float32(1)


class Table(NamedTuple):
    """A table of vectors and the state its optimiser keeps; what is not needed is empty.

    Attributes:
        rows: float32 (n, d), the vectors.
        sums: float32 (n,), Adagrad's sum of mean squared gradients per row.
        m: float32 (n, d), Adam's first moments.
        v: float32 (n, d), Adam's second moments.
        counts: float32 (n,), Adam's updates per row: a row's bias is corrected by its own age.
    """

    rows: np.ndarray
    sums: np.ndarray
    m: np.ndarray
    v: np.ndarray
    counts: np.ndarray


@inline
def row_step(
    optimiser: int, rate: np.float32, sums: np.ndarray, row: int, square: np.float32
) -> np.float32:
    """The learning rate of one row: the same for all (SGD) or row-wise Adagrad's."""
    if optimiser == SGD:
        return rate
    sums[row] += square
    return rate / (np.float32(math.sqrt(sums[row])) + ADAGRAD_EPSILON)


@inline
def squared_length(gradient: np.ndarray, size: int) -> np.float32:
    """‖g‖₂², 0 where a row is not to move."""
    square = _ZERO
    for k in range(size):
        square += gradient[k] * gradient[k]
    return square


@inline
def adam_rates(rate: np.float32, count: np.float32) -> tuple[np.float32, np.float32]:
    """Adam's corrected rate and the correction inside its root, for a row's count-th update."""
    first = _ONE - np.float32(math.pow(ADAM_BETA_1, count))
    second = _ONE - np.float32(math.pow(ADAM_BETA_2, count))
    return rate / first, _ONE / second


@inline
def adam_move(
    g: np.float32, table: Table, row: int, k: int, rate: np.float32, correction: np.float32
) -> np.float32:
    """How far one weight moves under Adam (Kingma & Ba 2015); its moments are updated."""
    m = ADAM_BETA_1 * table.m[row, k] + (_ONE - ADAM_BETA_1) * g
    v = ADAM_BETA_2 * table.v[row, k] + (_ONE - ADAM_BETA_2) * g * g
    table.m[row, k], table.v[row, k] = m, v
    return rate * m / (np.float32(math.sqrt(v * correction)) + ADAM_EPSILON)


@inline
def keep_in_ball(rows: np.ndarray, row: int, square: np.float32, dim: int) -> None:
    """Pull a row of squared length `square` back to the unit ball."""
    if square > _ONE:
        scale = _ONE / np.float32(math.sqrt(square))
        for k in range(dim):
            rows[row, k] *= scale


@inline
def apply_adam(
    table: Table,
    row: int,
    gradient: np.ndarray,
    direction: np.float32,
    rate: np.float32,
    dim: int,
) -> np.float32:
    """Step a row against direction · gradient by Adam; its new squared length."""
    rows = table.rows
    table.counts[row] += _ONE
    corrected, correction = adam_rates(rate, table.counts[row])
    square = _ZERO
    for k in range(dim):
        g = direction * gradient[k]
        moved = rows[row, k] - adam_move(g, table, row, k, corrected, correction)
        rows[row, k] = moved
        square += moved * moved
    return square


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
