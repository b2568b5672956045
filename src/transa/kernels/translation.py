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

from transa.kernels.distances import L1, L2, L2SQ, distance_to_row
from transa.kernels.jit import inline, kernel, lean_kernel
from transa.kernels.losses import HINGE, differentiate, weigh
from transa.kernels.margins import TripleMargins, margin_of
from transa.kernels.memory import apart
from transa.kernels.optimisers import (
    ADAM,
    SGD,
    Table,
    adam_move,
    adam_rates,
    apply_adam,
    keep_in_ball,
    row_step,
)
from transa.kernels.prefetch import prefetch_row
from transa.kernels.sampling import TAIL, Known, corrupt, draw_pool, empty_pool

_ZERO, _ONE, _TWO = np.float32(0), np.float32(1), np.float32(2)

# Triples between asking for rows and reading them.
_AHEAD = 3


class Rule(NamedTuple):
    """What a step does, as numbers: the constants of this module and of its siblings."""

    norm: int
    loss: int
    optimiser: int
    ball: bool
    rate: np.float32
    adversarial: np.float32
    gamma: np.float32


class Scratch(NamedTuple):
    """Room for the steps of one thread."""

    q: np.ndarray
    q_gradient: np.ndarray
    energies: np.ndarray
    weights: np.ndarray
    slopes: np.ndarray
    steps: np.ndarray
    pool: np.ndarray
    negatives: np.ndarray
    sides: np.ndarray


def scratch(dim: int, k: int, block_size: int = 0) -> Scratch:
    """Fresh room for vectors of `dim`, `k` negatives a triple, and blocks of triples."""
    return Scratch(
        q=apart(dim),
        q_gradient=apart(dim),
        energies=apart(k),
        weights=apart(k),
        slopes=apart(k),
        steps=apart(k),
        pool=empty_pool(k),
        negatives=apart((block_size, k), np.int32),
        sides=apart(block_size, np.int8),
    )


@inline
def query(
    entity: np.ndarray,
    anchor: int,
    relation: np.ndarray,
    r: int,
    direction: np.float32,
    answer: int,
    norm: int,
    q: np.ndarray,
) -> np.float32:
    """Fill q with the anchor translated by ± r; its distance to the answer, in the same pass."""
    total = _ZERO
    if norm == L1:
        for k in range(q.shape[0]):
            translated = entity[anchor, k] + direction * relation[r, k]
            q[k] = translated
            total += abs(translated - entity[answer, k])
        return total
    for k in range(q.shape[0]):
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
) -> np.float32:
    """Add slope · d‖q − x‖/dq to q's gradient and step x along its own; x's new squared length."""
    square = _ZERO
    if norm == L1:
        for k in range(q.shape[0]):
            s = signed(_ONE, q[k] - rows[row, k])
            q_gradient[k] += slope * s
            moved = rows[row, k] + step * slope * s
            rows[row, k] = moved
            square += moved * moved
        return square
    factor = slope * scale
    for k in range(q.shape[0]):
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
) -> np.float32:
    """`pull` with Adam's step."""
    rows = table.rows
    table.counts[row] += _ONE
    rate, correction = adam_rates(lr, table.counts[row])
    square = _ZERO
    for k in range(q.shape[0]):
        difference = q[k] - rows[row, k]
        g = slope * (signed(_ONE, difference) if norm == L1 else scale * difference)
        q_gradient[k] += g
        moved = rows[row, k] - adam_move(-g, table, row, k, rate, correction)
        rows[row, k] = moved
        square += moved * moved
    return square


@inline
def step_of(
    table: Table, row: int, slope: np.float32, energy: np.float32, dim: int, rule: Rule
) -> np.float32:
    """The learning rate of a row x whose gradient is slope · d‖q − x‖/dx (not Adam's)."""
    mean = mean_square(rule.norm, slope, energy, dim)
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
        square = pull_adam(table, row, q, q_gradient, rule.norm, slope, scale, rule.rate)
    else:
        square = pull(table.rows, row, q, q_gradient, rule.norm, slope, scale, step)
    if rule.ball:
        keep_in_ball(table.rows, row, square)


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
        square = apply_adam(entity, anchor, q_gradient, _ONE, rule.rate)
        apply_adam(relation, r, q_gradient, direction, rule.rate)
    else:
        mean = _ZERO
        if rule.optimiser != SGD:
            for k in range(q_gradient.shape[0]):
                mean += q_gradient[k] * q_gradient[k]
            mean /= np.float32(q_gradient.shape[0])
        of_anchor = row_step(rule.optimiser, rule.rate, entity.sums, anchor, mean)
        of_relation = direction * row_step(rule.optimiser, rule.rate, relation.sums, r, mean)
        square = _ZERO
        for k in range(q_gradient.shape[0]):
            moved = entity.rows[anchor, k] - of_anchor * q_gradient[k]
            entity.rows[anchor, k] = moved
            square += moved * moved
            relation.rows[r, k] -= of_relation * q_gradient[k]
    if rule.ball:
        keep_in_ball(entity.rows, anchor, square)


@inline
def pair_distances(
    entity: np.ndarray,
    relation: np.ndarray,
    anchor: int,
    r: int,
    direction: np.float32,
    answer: int,
    negative: int,
    norm: int,
) -> tuple[np.float32, np.float32]:
    """‖q − x‖ and ‖q − x′‖ in one pass."""
    near, far = _ZERO, _ZERO
    if norm == L1:
        for k in range(entity.shape[1]):
            q = entity[anchor, k] + direction * relation[r, k]
            near += abs(q - entity[answer, k])
            far += abs(q - entity[negative, k])
        return near, far
    for k in range(entity.shape[1]):
        q = entity[anchor, k] + direction * relation[r, k]
        near += (q - entity[answer, k]) * (q - entity[answer, k])
        far += (q - entity[negative, k]) * (q - entity[negative, k])
    if norm == L2SQ:
        return near, far
    return np.float32(math.sqrt(near)), np.float32(math.sqrt(far))


@inline
def move_pair(
    entity: np.ndarray,
    relation: np.ndarray,
    anchor: int,
    r: int,
    direction: np.float32,
    answer: int,
    negative: int,
    norm: int,
    pulling: np.float32,
    pushing: np.float32,
) -> None:
    """Move all four rows in one pass, by pulling · d‖q − x‖/dq and pushing · d‖q − x′‖/dq."""
    if norm == L1:
        for k in range(entity.shape[1]):
            q = entity[anchor, k] + direction * relation[r, k]
            pulled = signed(pulling, q - entity[answer, k])
            pushed = signed(pushing, q - entity[negative, k])
            entity[answer, k] += pulled
            entity[negative, k] -= pushed
            entity[anchor, k] -= pulled - pushed
            relation[r, k] -= direction * (pulled - pushed)
        return
    for k in range(entity.shape[1]):
        q = entity[anchor, k] + direction * relation[r, k]
        pulled = pulling * (q - entity[answer, k])
        pushed = pushing * (q - entity[negative, k])
        entity[answer, k] += pulled
        entity[negative, k] -= pushed
        entity[anchor, k] -= pulled - pushed
        relation[r, k] -= direction * (pulled - pushed)


@inline
def step_pair(
    entity: np.ndarray,
    relation: np.ndarray,
    anchor: int,
    r: int,
    direction: np.float32,
    answer: int,
    negative: int,
    margin: np.float32,
    rule: Rule,
    room: Scratch,
) -> np.float32:
    """`step` for one negative and plain SGD, which is the paper's own training.

    Rows are read twice and written once, and nothing else is: half the time of `step`.
    """
    norm = rule.norm
    near, far = pair_distances(entity, relation, anchor, r, direction, answer, negative, norm)
    room.energies[0], room.weights[0] = far, _ONE
    value, slope = differentiate(
        rule.loss, near, room.energies, room.weights, margin, rule.gamma, room.slopes
    )
    pulling, pushing = rule.rate * slope, -rule.rate * room.slopes[0]
    # A satisfied hinge asks for nothing.
    if pulling == _ZERO and pushing == _ZERO:
        return value
    if norm != L1:
        pulling *= direction_scale(norm, near)
        pushing *= direction_scale(norm, far)
    move_pair(entity, relation, anchor, r, direction, answer, negative, norm, pulling, pushing)
    return value


@inline
def step(
    entity: Table,
    relation: Table,
    triples: np.ndarray,
    i: int,
    side: int,
    negatives: np.ndarray,
    at: int,
    margin: np.float32,
    rule: Rule,
    room: Scratch,
) -> np.float32:
    """Triple i against negatives[at], in place; the loss before the update.

    All derivatives are taken at the vectors as they were; a row that occurs twice among the
    negatives is updated twice.
    """
    # The side is a coin's, which cannot be predicted: it must not be branched on.
    h, r, t = triples[i, 0], triples[i, 1], triples[i, 2]
    swap = (h ^ t) & -np.int32(side != TAIL)
    anchor, answer = h ^ swap, t ^ swap
    direction = np.float32(2 * side - 1)
    if negatives.shape[1] == 1 and rule.optimiser == SGD and not rule.ball:
        negative = negatives[at, 0]
        return step_pair(
            entity.rows, relation.rows, anchor, r, direction, answer, negative, margin, rule, room
        )
    q, q_gradient = room.q, room.q_gradient
    positive = query(entity.rows, anchor, relation.rows, r, direction, answer, rule.norm, q)
    for j in range(negatives.shape[1]):
        room.energies[j] = distance_to_row(q, entity.rows, negatives[at, j], rule.norm)
    weigh(room.energies, rule.adversarial, room.weights)
    value, slope = differentiate(
        rule.loss, positive, room.energies, room.weights, margin, rule.gamma, room.slopes
    )
    # A satisfied hinge asks for nothing: its slopes are all zero.
    if rule.loss == HINGE and slope == _ZERO:
        return value
    for k in range(q.shape[0]):
        q_gradient[k] = _ZERO
    # Roots and divisions first and together, so that they overlap.
    of_answer = _ZERO
    if rule.optimiser != ADAM:
        for j in range(negatives.shape[1]):
            slope_j, energy = room.slopes[j], room.energies[j]
            room.steps[j] = step_of(entity, negatives[at, j], slope_j, energy, q.shape[0], rule)
        of_answer = step_of(entity, answer, slope, positive, q.shape[0], rule)
    for j in range(negatives.shape[1]):
        if room.slopes[j] != _ZERO:
            slope_j, energy, of_j = room.slopes[j], room.energies[j], room.steps[j]
            pull_row(entity, negatives[at, j], room, slope_j, energy, of_j, rule)
    pull_row(entity, answer, room, slope, positive, of_answer, rule)
    move_query(entity, anchor, relation, r, direction, q_gradient, rule)
    return value


@lean_kernel
def step_given(
    entity: Table,
    relation: Table,
    triples: np.ndarray,
    sides: np.ndarray,
    negatives: np.ndarray,
    margins: TripleMargins,
    rule: Rule,
    room: Scratch,
) -> float:
    """Steps over triples whose corruptions are given; the sum of the losses."""
    total = 0.0
    for i in range(triples.shape[0]):
        if sides[i] >= 0:
            margin = margin_of(margins, i, sides[i])
            total += step(entity, relation, triples, i, sides[i], negatives, i, margin, rule, room)
    return total


@inline
def prefetch_triple(entity: Table, relation: Table, triples: np.ndarray, i: int) -> None:
    """Ask for the rows that a coming step reads; those of the pool are near already."""
    prefetch_row(entity.rows, triples[i, 0])
    prefetch_row(relation.rows, triples[i, 1])
    prefetch_row(entity.rows, triples[i, 2])


@lean_kernel
def train_blocks(
    entity: Table,
    relation: Table,
    triples: np.ndarray,
    blocks: np.ndarray,
    block_size: int,
    known: Known,
    margins: TripleMargins,
    rule: Rule,
    state: np.ndarray,
    room: Scratch,
) -> float:
    """Draw and step over the triples of these blocks, in this order; the sum of the losses.

    A block's corruptions are drawn before its first step, so that rows can be fetched ahead.
    """
    pool, negatives, sides = room.pool, room.negatives, room.sides
    total = 0.0
    for b in range(blocks.shape[0]):
        first = blocks[b] * block_size
        count = min(block_size, triples.shape[0] - first)
        draw_pool(state, known, pool)
        for j in range(pool.shape[0]):
            prefetch_row(entity.rows, pool[j])
        for at in range(count):
            sides[at] = corrupt(triples, first + at, known, pool, state, negatives, at)
        for at in range(count):
            if at + _AHEAD < count:
                prefetch_triple(entity, relation, triples, first + at + _AHEAD)
            if sides[at] >= 0:
                i = first + at
                margin = margin_of(margins, i, sides[at])
                total += step(
                    entity, relation, triples, i, sides[at], negatives, at, margin, rule, room
                )
    return total


@kernel
def onto_sphere(rows: np.ndarray, start: int, stop: int) -> None:
    """Scale rows start..stop-1 to length 1 (L2); a zero row stays zero."""
    for i in range(start, stop):
        square = _ZERO
        for k in range(rows.shape[1]):
            square += rows[i, k] * rows[i, k]
        if square > _ZERO:
            scale = _ONE / np.float32(math.sqrt(square))
            for k in range(rows.shape[1]):
                rows[i, k] *= scale
