"""Training steps of the translation family, fused: draw, score, differentiate, update.

For a corrupted tail the query is q = h + r, the answer x = t; for a corrupted head q = t − r and
x = h. Either way f = ‖q − x‖ and f′ⱼ = ‖q − x′ⱼ‖, so one loop serves both sides: only the sign with
which r enters q differs. Rows are updated in place, one triple at a time, and threads do not lock
(hogwild: Recht et al. 2011).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from transa.kernels.distances import distance_to_row
from transa.kernels.jit import inline, kernel, lean_kernel
from transa.kernels.losses import HINGE, differentiate, weigh
from transa.kernels.margins import TripleMargins, margin_of
from transa.kernels.optimisers import ADAM, SGD, Table
from transa.kernels.pair import step_pair
from transa.kernels.prefetch import prefetch_row
from transa.kernels.pulls import move_query, pull_row, query, step_of
from transa.kernels.rule import Rule, Scratch
from transa.kernels.sampling import TAIL, Known, corrupt, draw_pool

_ZERO, _ONE = np.float32(0), np.float32(1)

# Triples between asking for rows and reading them.
_AHEAD = 3


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
    if rule.negatives == 1 and rule.optimiser == SGD and not rule.ball:
        negative = negatives[at, 0]
        return step_pair(
            entity.rows, relation.rows, anchor, r, direction, answer, negative, margin, rule, room
        )
    q, q_gradient = room.q, room.q_gradient
    positive = query(
        entity.rows, anchor, relation.rows, r, direction, answer, rule.norm, rule.dim, q
    )
    for j in range(rule.negatives):
        room.energies[j] = distance_to_row(q, entity.rows, negatives[at, j], rule.norm, rule.dim)
    weigh(room.energies, rule.adversarial, room.weights, rule.negatives)
    value, slope = differentiate(
        rule.loss,
        positive,
        room.energies,
        room.weights,
        margin,
        rule.gamma,
        room.slopes,
        rule.negatives,
    )
    # A satisfied hinge asks for nothing: its slopes are all zero.
    if rule.loss == HINGE and slope == _ZERO:
        return value
    for k in range(rule.dim):
        q_gradient[k] = _ZERO
    # Roots and divisions first and together, so that they overlap.
    of_answer = _ZERO
    if rule.optimiser != ADAM:
        for j in range(rule.negatives):
            slope_j, energy = room.slopes[j], room.energies[j]
            room.steps[j] = step_of(entity, negatives[at, j], slope_j, energy, rule)
        of_answer = step_of(entity, answer, slope, positive, rule)
    for j in range(rule.negatives):
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
def prefetch_triple(entity: Table, relation: Table, triples: np.ndarray, i: int, dim: int) -> None:
    """Ask for the rows that a coming step reads; those of the pool are near already."""
    prefetch_row(entity.rows, triples[i, 0], dim)
    prefetch_row(relation.rows, triples[i, 1], dim)
    prefetch_row(entity.rows, triples[i, 2], dim)


@cache
def train_blocks_for(
    dim: int, negatives: int, norm: int, loss: int, optimiser: int, ball: bool
) -> Callable[..., float]:
    """`train_blocks`, compiled for what is the same in every step of a run.

    It takes 40 % less time than a kernel that is told as it goes: loops over a vector have no rest
    that is left to scalars, and choices that are not made do not crowd the registers.
    """

    @lean_kernel
    def train_blocks(
        entity: Table,
        relation: Table,
        triples: np.ndarray,
        blocks: np.ndarray,
        block_size: int,
        known: Known,
        margins: TripleMargins,
        given: Rule,
        state: np.ndarray,
        room: Scratch,
    ) -> float:
        """Draw and step over the triples of these blocks, in this order; the sum of the losses.

        A block's corruptions are drawn before its first step, so that rows can be fetched ahead.
        """
        rate, adversarial, gamma = given.rate, given.adversarial, given.gamma
        rule = Rule(dim, negatives, norm, loss, optimiser, ball, rate, adversarial, gamma)
        pool, drawn, sides = room.pool, room.negatives, room.sides
        total = 0.0
        for b in range(blocks.shape[0]):
            first = blocks[b] * block_size
            count = min(block_size, triples.shape[0] - first)
            draw_pool(state, known, pool)
            for j in range(pool.shape[0]):
                prefetch_row(entity.rows, pool[j], dim)
            for at in range(count):
                sides[at] = corrupt(triples, first + at, known, pool, state, drawn, at)
            for at in range(count):
                if at + _AHEAD < count:
                    prefetch_triple(entity, relation, triples, first + at + _AHEAD, dim)
                if sides[at] >= 0:
                    i = first + at
                    margin = margin_of(margins, i, sides[at])
                    total += step(
                        entity, relation, triples, i, sides[at], drawn, at, margin, rule, room
                    )
        return total

    return train_blocks


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
