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

from transa.kernels.distances import L1, L2SQ
from transa.kernels.jit import inline, kernel, lean_kernel
from transa.kernels.margins.readings import TripleMargins, margin_of
from transa.kernels.training.blocks import AHEAD, anchor_and_answer, draw_block, prefetch_triple
from transa.kernels.training.candidates import asks_for_nothing, pull_candidates
from transa.kernels.training.gradients import direction_scale, move_query, query, signed
from transa.kernels.training.losses import differentiate
from transa.kernels.training.optimisers import SGD, Table
from transa.kernels.training.sampling import Known
from transa.kernels.training.step import Rule, Scratch

_ZERO, _ONE = np.float32(0), np.float32(1)


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
    dim: int,
) -> tuple[np.float32, np.float32]:
    """‖q − x‖ and ‖q − x′‖ in one pass."""
    near, far = _ZERO, _ZERO
    if norm == L1:
        for k in range(dim):
            q = entity[anchor, k] + direction * relation[r, k]
            near += abs(q - entity[answer, k])
            far += abs(q - entity[negative, k])
        return near, far
    for k in range(dim):
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
    dim: int,
) -> None:
    """Move all four rows in one pass, by pulling · d‖q − x‖/dq and pushing · d‖q − x′‖/dq."""
    if norm == L1:
        for k in range(dim):
            q = entity[anchor, k] + direction * relation[r, k]
            pulled = signed(pulling, q - entity[answer, k])
            pushed = signed(pushing, q - entity[negative, k])
            entity[answer, k] += pulled
            entity[negative, k] -= pushed
            entity[anchor, k] -= pulled - pushed
            relation[r, k] -= direction * (pulled - pushed)
        return
    for k in range(dim):
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
    near, far = pair_distances(
        entity, relation, anchor, r, direction, answer, negative, norm, rule.dim
    )
    room.energies[0], room.weights[0] = far, _ONE
    value, slope = differentiate(
        rule.loss, near, room.energies, room.weights, margin, rule.gamma, room.slopes, 1
    )
    pulling, pushing = rule.rate * slope, -rule.rate * room.slopes[0]
    # A satisfied hinge asks for nothing.
    if pulling == _ZERO and pushing == _ZERO:
        return value
    if norm != L1:
        pulling *= direction_scale(norm, near)
        pushing *= direction_scale(norm, far)
    move_pair(
        entity,
        relation,
        anchor,
        r,
        direction,
        answer,
        negative,
        norm,
        pulling,
        pushing,
        rule.dim,
    )
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
    r = triples[i, 1]
    anchor, answer = anchor_and_answer(triples, i, side)
    direction = np.float32(2 * side - 1)
    if rule.negatives == 1 and rule.optimiser == SGD and not rule.ball:
        negative = negatives[at, 0]
        return step_pair(
            entity.rows, relation.rows, anchor, r, direction, answer, negative, margin, rule, room
        )
    positive = query(
        entity.rows, anchor, relation.rows, r, direction, answer, rule.norm, rule.dim, room.q
    )
    value, slope = pull_candidates(entity, answer, negatives, at, positive, margin, rule, room)
    if not asks_for_nothing(rule.loss, slope):
        move_query(entity, anchor, relation, r, direction, room.q_gradient, rule)
    return value


@cache
def train_blocks_for(
    dim: int, negatives: int, norm: int, loss: int, optimiser: int, ball: bool
) -> Callable[..., float]:
    """`train_blocks`, compiled for what is the same in every step of a run; sizes may be ANY.

    It takes 40 % less time than a kernel with run-time arguments: loops over a vector have a known
    length and no scalar remainder, and unused branches take no registers.

    Each family writes this loop out with its own step: Numba would never find a loop that is handed
    one in its cache, and compile it anew in every process.
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
        """Draw and step over the triples of these blocks, in this order; the sum of the losses."""
        sizes = (dim or given.dim, negatives or given.negatives)
        rule = Rule(*sizes, norm, loss, optimiser, ball, *given[6:])
        drawn, sides = room.negatives, room.sides
        total = 0.0
        for b in range(blocks.shape[0]):
            first = blocks[b] * block_size
            count = min(block_size, triples.shape[0] - first)
            draw_block(entity.rows, triples, first, count, known, state, room, rule.dim)
            for at in range(count):
                if at + AHEAD < count:
                    prefetch_triple(entity, relation, triples, first + at + AHEAD, rule.dim)
                if sides[at] >= 0:
                    i = first + at
                    margin = margin_of(margins, i, sides[at])
                    total += step(
                        entity, relation, triples, i, sides[at], drawn, at, margin, rule, room
                    )
        return total

    return train_blocks


@kernel
def onto_sphere(rows: np.ndarray) -> None:
    """Scale rows to length 1 (L2); a zero row stays zero."""
    for i in range(rows.shape[0]):
        square = _ZERO
        for k in range(rows.shape[1]):
            square += rows[i, k] * rows[i, k]
        if square > _ZERO:
            scale = _ONE / np.float32(math.sqrt(square))
            for k in range(rows.shape[1]):
                rows[i, k] *= scale
