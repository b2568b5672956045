"""Rows pulled towards a query and pushed away from it: derivatives and updates in one pass each."""

from __future__ import annotations

import math

import numpy as np

from transa.kernels.distances import L1, L2, L2SQ
from transa.kernels.jit import inline
from transa.kernels.training.optimisers import (
    ADAM,
    SGD,
    Table,
    adam_move,
    adam_rates,
    apply_adam,
    keep_in_ball,
    row_step,
    squared_length,
)
from transa.kernels.training.step import Rule, Scratch

_ZERO, _ONE, _TWO = np.float32(0), np.float32(1), np.float32(2)


@inline
def query(
    entity: np.ndarray,
    anchor: int,
    relation: np.ndarray,
    r: int,
    direction: np.float32,
    answer: int,
    norm: int,
    dim: int,
    q: np.ndarray,
) -> np.float32:
    """Fill q with the anchor translated by ± r; its distance to the answer, in the same pass."""
    total = _ZERO
    if norm == L1:
        for k in range(dim):
            translated = entity[anchor, k] + direction * relation[r, k]
            q[k] = translated
            total += abs(translated - entity[answer, k])
        return total
    for k in range(dim):
        translated = entity[anchor, k] + direction * relation[r, k]
        q[k] = translated
        total += (translated - entity[answer, k]) * (translated - entity[answer, k])
    return total if norm == L2SQ else math.sqrt(total)


@inline
def direction_scale(norm: int, energy: np.float32) -> np.float32:
    """d‖q − x‖/dq is the difference times this (L2 and its square)."""
    if norm == L2SQ:
        return _TWO
    return _ONE / energy if energy > _ZERO else _ZERO


@inline
def mean_square(norm: int, slope: np.float32, energy: np.float32, dim: int) -> np.float32:
    """The mean over a row of its squared gradient, slope · d‖q − x‖/dx, from the energy alone."""
    square = slope * slope
    if norm == L1:
        return square
    if norm == L2:
        return square / np.float32(dim) if energy > _ZERO else _ZERO
    return square * np.float32(4) * energy / np.float32(dim)


@inline
def signed(size: np.float32, x: np.float32) -> np.float32:
    """`size` with the sign of x: the derivative of |x| times it, but at 0, where any will do."""
    return np.float32(math.copysign(size, x))


@inline
def pull(
    rows: np.ndarray,
    row: int,
    q: np.ndarray,
    q_gradient: np.ndarray,
    norm: int,
    slope: np.float32,
    scale: np.float32,
    step: np.float32,
    dim: int,
) -> np.float32:
    """Add slope · d‖q − x‖/dq to q's gradient and step x along its own; x's new squared length."""
    square = _ZERO
    if norm == L1:
        for k in range(dim):
            s = signed(_ONE, q[k] - rows[row, k])
            q_gradient[k] += slope * s
            moved = rows[row, k] + step * slope * s
            rows[row, k] = moved
            square += moved * moved
        return square
    factor = slope * scale
    for k in range(dim):
        g = factor * (q[k] - rows[row, k])
        q_gradient[k] += g
        moved = rows[row, k] + step * g
        rows[row, k] = moved
        square += moved * moved
    return square


@inline
def pull_adam(
    table: Table,
    row: int,
    q: np.ndarray,
    q_gradient: np.ndarray,
    norm: int,
    slope: np.float32,
    scale: np.float32,
    lr: np.float32,
    dim: int,
) -> np.float32:
    """`pull` with Adam's step."""
    rows = table.rows
    table.counts[row] += _ONE
    rate, correction = adam_rates(lr, table.counts[row])
    square = _ZERO
    for k in range(dim):
        difference = q[k] - rows[row, k]
        g = slope * (signed(_ONE, difference) if norm == L1 else scale * difference)
        q_gradient[k] += g
        moved = rows[row, k] - adam_move(-g, table, row, k, rate, correction)
        rows[row, k] = moved
        square += moved * moved
    return square


@inline
def step_of(
    table: Table, row: int, slope: np.float32, energy: np.float32, rule: Rule
) -> np.float32:
    """The learning rate of a row x whose gradient is slope · d‖q − x‖/dx (not Adam's)."""
    mean = mean_square(rule.norm, slope, energy, rule.dim)
    return row_step(rule.optimiser, rule.rate, table.sums, row, mean)


@inline
def pull_row(
    table: Table,
    row: int,
    room: Scratch,
    slope: np.float32,
    energy: np.float32,
    step: np.float32,
    rule: Rule,
) -> None:
    """Differentiate slope · ‖q − x‖ for one row x: q's share is added up, x is updated at once."""
    q, q_gradient = room.q, room.q_gradient
    scale = direction_scale(rule.norm, energy)
    if rule.optimiser == ADAM:
        square = pull_adam(table, row, q, q_gradient, rule.norm, slope, scale, rule.rate, rule.dim)
    else:
        square = pull(table.rows, row, q, q_gradient, rule.norm, slope, scale, step, rule.dim)
    if rule.ball:
        keep_in_ball(table.rows, row, square, rule.dim)


@inline
def move_query(
    entity: Table,
    anchor: int,
    relation: Table,
    r: int,
    direction: np.float32,
    q_gradient: np.ndarray,
    rule: Rule,
) -> None:
    """Step the two rows that q is made of."""
    if rule.optimiser == ADAM:
        # Pulls that cancel leave both rows as they are, moments and all.
        if squared_length(q_gradient, rule.dim) == _ZERO:
            return
        square = apply_adam(entity, anchor, q_gradient, _ONE, rule.rate, rule.dim)
        apply_adam(relation, r, q_gradient, direction, rule.rate, rule.dim)
    else:
        mean = _ZERO
        if rule.optimiser != SGD:
            mean = squared_length(q_gradient, rule.dim) / np.float32(rule.dim)
        of_anchor = row_step(rule.optimiser, rule.rate, entity.sums, anchor, mean)
        of_relation = direction * row_step(rule.optimiser, rule.rate, relation.sums, r, mean)
        square = _ZERO
        for k in range(rule.dim):
            moved = entity.rows[anchor, k] - of_anchor * q_gradient[k]
            entity.rows[anchor, k] = moved
            square += moved * moved
            relation.rows[r, k] -= of_relation * q_gradient[k]
    if rule.ball:
        keep_in_ball(entity.rows, anchor, square, rule.dim)
