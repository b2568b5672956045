"""One training step of the translation family, fused: draw, score, differentiate, update.

For a corrupted tail the query is q = h + r, the answer x = t; for a corrupted head q = t − r and
x = h. Either way f = ‖q − x‖ and f′ⱼ = ‖q − x′ⱼ‖, so one loop serves both sides: only the sign with
which r enters q differs. Rows are updated in place, one triple at a time, and threads do not lock
(hogwild: Recht et al. 2011).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from transa.kernels.jit import inline, kernel
from transa.kernels.losses import differentiate, weigh
from transa.kernels.optimisers import (
    ADAM,
    Table,
    adam_move,
    adam_rates,
    apply,
    keep_in_ball,
    row_step,
)
from transa.kernels.sampling import TAIL, Known, corrupt

L1, L2, L2SQ = 0, 1, 2
_ZERO, _ONE, _TWO = np.float32(0), np.float32(1), np.float32(2)


class Rule(NamedTuple):
    """What a step does, as numbers: the constants of this module and of its siblings."""

    norm: int
    loss: int
    optimiser: int
    ball: bool
    rate: np.float32
    adversarial: np.float32
    gamma: np.float32


@inline
def distance(a: np.ndarray, b: np.ndarray, norm: int) -> np.float32:
    """‖a − b‖ in the norm."""
    total = _ZERO
    if norm == L1:
        for k in range(a.shape[0]):
            total += abs(a[k] - b[k])
        return total
    for k in range(a.shape[0]):
        difference = a[k] - b[k]
        total += difference * difference
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
def sign(x: np.float32) -> np.float32:
    """−1, 0 or 1, without a branch."""
    return np.float32(x > _ZERO) - np.float32(x < _ZERO)


@inline
def pull(
    q: np.ndarray,
    x: np.ndarray,
    q_gradient: np.ndarray,
    norm: int,
    slope: np.float32,
    scale: np.float32,
    step: np.float32,
) -> np.float32:
    """Add slope · d‖q − x‖/dq to q's gradient and step x along its own; x's new squared length."""
    square = _ZERO
    if norm == L1:
        move = step * slope
        for k in range(q.shape[0]):
            s = sign(q[k] - x[k])
            q_gradient[k] += slope * s
            moved = x[k] + move * s
            x[k] = moved
            square += moved * moved
        return square
    factor = slope * scale
    for k in range(q.shape[0]):
        g = factor * (q[k] - x[k])
        q_gradient[k] += g
        moved = x[k] + step * g
        x[k] = moved
        square += moved * moved
    return square


@inline
def pull_adam(
    q: np.ndarray,
    x: np.ndarray,
    q_gradient: np.ndarray,
    norm: int,
    slope: np.float32,
    scale: np.float32,
    m: np.ndarray,
    v: np.ndarray,
    rate: np.float32,
    correction: np.float32,
) -> np.float32:
    """`pull` with Adam's step."""
    square = _ZERO
    for k in range(q.shape[0]):
        difference = q[k] - x[k]
        g = slope * (sign(difference) if norm == L1 else scale * difference)
        q_gradient[k] += g
        moved = x[k] - adam_move(-g, m, v, k, rate, correction)
        x[k] = moved
        square += moved * moved
    return square


@inline
def pull_row(
    table: Table,
    row: int,
    q: np.ndarray,
    q_gradient: np.ndarray,
    slope: np.float32,
    energy: np.float32,
    rule: Rule,
) -> None:
    """Differentiate slope · ‖q − x‖ for one row x: q's share is added up, x is updated at once."""
    x = table.rows[row]
    scale = direction_scale(rule.norm, energy)
    if rule.optimiser == ADAM:
        table.counts[row] += _ONE
        rate, correction = adam_rates(rule.rate, table.counts[row])
        square = pull_adam(
            q, x, q_gradient, rule.norm, slope, scale, table.m[row], table.v[row], rate, correction
        )
    else:
        mean = mean_square(rule.norm, slope, energy, x.shape[0])
        step = row_step(rule.optimiser, rule.rate, table.sums, row, mean)
        square = pull(q, x, q_gradient, rule.norm, slope, scale, step)
    if rule.ball:
        keep_in_ball(x, square)


@inline
def step(
    entity: Table,
    relation: Table,
    triple: np.ndarray,
    side: int,
    negatives: np.ndarray,
    margin: np.float32,
    rule: Rule,
    q: np.ndarray,
    q_gradient: np.ndarray,
    energies: np.ndarray,
    weights: np.ndarray,
    slopes: np.ndarray,
) -> np.float32:
    """One triple against its negatives, in place; the loss before the update.

    All derivatives are taken at the vectors as they were; a row that occurs twice among the
    negatives is updated twice.
    """
    anchor, answer, direction = triple[0], triple[2], _ONE
    if side != TAIL:
        anchor, answer, direction = triple[2], triple[0], -_ONE
    a, r = entity.rows[anchor], relation.rows[triple[1]]
    for k in range(q.shape[0]):
        q[k] = a[k] + direction * r[k]
        q_gradient[k] = _ZERO
    positive = distance(q, entity.rows[answer], rule.norm)
    for j in range(negatives.shape[0]):
        energies[j] = distance(q, entity.rows[negatives[j]], rule.norm)
    weigh(energies, rule.adversarial, weights)
    value, slope = differentiate(rule.loss, positive, energies, weights, margin, rule.gamma, slopes)
    if slope == _ZERO:
        return value
    for j in range(negatives.shape[0]):
        if slopes[j] != _ZERO:
            pull_row(entity, negatives[j], q, q_gradient, slopes[j], energies[j], rule)
    pull_row(entity, answer, q, q_gradient, slope, positive, rule)
    square = apply(entity, anchor, q_gradient, _ONE, rule.optimiser, rule.rate)
    if rule.ball:
        keep_in_ball(a, square)
    apply(relation, triple[1], q_gradient, direction, rule.optimiser, rule.rate)
    return value


@kernel
def step_given(
    entity: Table,
    relation: Table,
    triples: np.ndarray,
    sides: np.ndarray,
    negatives: np.ndarray,
    margins: np.ndarray,
    rule: Rule,
) -> float:
    """Steps over triples whose corruptions are given; the sum of the losses."""
    dim, k = entity.rows.shape[1], negatives.shape[1]
    q, q_gradient = np.empty(dim, np.float32), np.empty(dim, np.float32)
    energies, weights, slopes = (
        np.empty(k, np.float32),
        np.empty(k, np.float32),
        np.empty(k, np.float32),
    )
    total = 0.0
    for i in range(triples.shape[0]):
        if sides[i] >= 0:
            total += step(
                entity,
                relation,
                triples[i],
                sides[i],
                negatives[i],
                margins[i, sides[i]],
                rule,
                q,
                q_gradient,
                energies,
                weights,
                slopes,
            )
    return total


@kernel
def train_blocks(
    entity: Table,
    relation: Table,
    triples: np.ndarray,
    blocks: np.ndarray,
    block_size: int,
    known: Known,
    margins: np.ndarray,
    k: int,
    rule: Rule,
    state: np.ndarray,
) -> float:
    """Draw and step over the triples of these blocks, in this order; the sum of the losses."""
    dim = entity.rows.shape[1]
    q, q_gradient = np.empty(dim, np.float32), np.empty(dim, np.float32)
    energies, weights, slopes = (
        np.empty(k, np.float32),
        np.empty(k, np.float32),
        np.empty(k, np.float32),
    )
    negatives = np.empty(k, np.int32)
    total = 0.0
    for block in blocks:
        first = block * block_size
        for i in range(first, min(first + block_size, triples.shape[0])):
            side = corrupt(i, triples[i, 1], known, state, negatives)
            if side < 0:
                continue
            total += step(
                entity,
                relation,
                triples[i],
                side,
                negatives,
                margins[i, side],
                rule,
                q,
                q_gradient,
                energies,
                weights,
                slopes,
            )
    return total


@kernel
def onto_sphere(rows: np.ndarray, start: int, stop: int) -> None:
    """Scale rows start..stop-1 to length 1 (L2); a zero row stays zero."""
    for i in range(start, stop):
        x = rows[i]
        square = _ZERO
        for k in range(x.shape[0]):
            square += x[k] * x[k]
        if square > _ZERO:
            scale = _ONE / np.float32(math.sqrt(square))
            for k in range(x.shape[0]):
                x[k] *= scale
