"""Training steps of TransH, fused: f = ‖h⊥ + d − t⊥‖, e⊥ = e − (wᵀe) w.

With g = dL/de⊥, an entity's gradient is g − (wᵀg) w, and its share of the normal's is
−((wᵀg) e + (wᵀe) g): for every entity of a step alike, be it anchor, answer or corruption.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from transa.kernels.jit import inline, lean_kernel
from transa.kernels.margins.readings import TripleMargins, margin_of
from transa.kernels.prefetch import prefetch_row
from transa.kernels.training.blocks import AHEAD, anchor_and_answer, draw_block, prefetch_triple
from transa.kernels.training.candidates import asks_for_nothing
from transa.kernels.training.optimisers import Table, descend, descend_entity
from transa.kernels.training.projections import (
    Projections,
    derive_projections,
    gather,
    judge_images,
)
from transa.kernels.training.sampling import Known
from transa.kernels.training.step import Rule, Scratch

_ZERO, _ONE, _TWO = np.float32(0), np.float32(1), np.float32(2)

# Of the soft constraints: the squared length that an entity may have (the ball's 1, but for
# rounding), the squared cosine of d and w that goes unpunished, and a squared length that may be
# divided by.
LONGEST, TILT, LEAST = np.float32(1 + 1e-5), np.float32(1e-6), np.float32(1e-12)


@inline
def along(one: np.ndarray, i: int, other: np.ndarray, j: int, dim: int) -> np.float32:
    """The product of two rows."""
    total = _ZERO
    for k in range(dim):
        total += one[i, k] * other[j, k]
    return total


@inline
def lay_down(
    entity: np.ndarray, row: int, normal: np.ndarray, r: int, seen: Projections, j: int, dim: int
) -> None:
    """Write an entity's image in the plane to row j."""
    seen.alongs[j] = part = along(entity, row, normal, r, dim)
    for k in range(dim):
        seen.of[j, k] = entity[row, k] - part * normal[r, k]


@inline
def excess_length(entity: np.ndarray, row: int, dim: int) -> np.float32:
    """[‖e‖² − 1]₊."""
    return max(along(entity, row, entity, row, dim) - LONGEST, _ZERO)


@inline
def excess_tilt(relation: np.ndarray, normal: np.ndarray, r: int, dim: int) -> np.float32:
    """[(wᵀd)² / ‖d‖² − ε²]₊."""
    across = along(normal, r, relation, r, dim)
    square = max(along(relation, r, relation, r, dim), LEAST)
    return max(across * across / square - TILT, _ZERO)


@inline
def straighten(
    relation: np.ndarray,
    normal: np.ndarray,
    r: int,
    soft: np.float32,
    room: Scratch,
    seen: Projections,
    dim: int,
) -> None:
    """Add the derivatives of C (wᵀd)² / ‖d‖² to the gradients of d and w."""
    across = along(normal, r, relation, r, dim)
    ratio = across / max(along(relation, r, relation, r, dim), LEAST)
    factor = _TWO * soft * ratio
    for k in range(dim):
        d, w = relation[r, k], normal[r, k]
        room.q_gradient[k] += factor * (w - ratio * d)
        seen.map_gradient[k] += factor * d


@inline
def move_entity(
    entity: Table,
    row: int,
    normal: np.ndarray,
    r: int,
    seen: Projections,
    j: int,
    shrink: np.float32,
    rule: Rule,
) -> None:
    """Step the entity of row j by its image's derivative and by shrink · e.

    The normal's share is added up.
    """
    part, steep = seen.alongs[j], along(seen.derivatives, j, normal, r, rule.dim)
    for k in range(rule.dim):
        g, e = seen.derivatives[j, k], entity.rows[row, k]
        seen.gradient[k] = g - steep * normal[r, k] + shrink * e
        seen.map_gradient[k] -= steep * e + part * g
    descend_entity(entity, row, seen.gradient, rule)


@inline
def turn(normal: Table, r: int, gradient: np.ndarray, rule: Rule) -> None:
    """Step a normal, and make it a unit vector again."""
    square = descend(normal, r, gradient, rule, rule.dim)
    if square > _ZERO:
        scale = _ONE / np.float32(math.sqrt(square))
        for k in range(rule.dim):
            normal.rows[r, k] *= scale


@inline
def step(
    entity: Table,
    relation: Table,
    normal: Table,
    triples: np.ndarray,
    i: int,
    side: int,
    negatives: np.ndarray,
    at: int,
    margin: np.float32,
    rule: Rule,
    room: Scratch,
    seen: Projections,
) -> np.float32:
    """Triple i against negatives[at], in place; the loss before the update."""
    dim, soft, last, r = rule.dim, rule.soft, rule.negatives, triples[i, 1]
    anchor, answer = anchor_and_answer(triples, i, side)
    direction = np.float32(2 * side - 1)
    gather(seen, negatives, at, answer, anchor, rule)
    for j in range(last + 2):
        lay_down(entity.rows, seen.who[j], normal.rows, r, seen, j, dim)
    value, positive, slope = judge_images(
        relation.rows, r, direction, margin, rule, room, seen, dim
    )
    tilt = excess_tilt(relation.rows, normal.rows, r, dim)
    punished = soft * (
        excess_length(entity.rows, anchor, dim) + excess_length(entity.rows, answer, dim) + tilt
    )
    value += punished
    if punished == _ZERO and asks_for_nothing(rule.loss, slope):
        return value
    derive_projections(positive, slope, rule, room, seen, dim)
    for k in range(dim):
        # What was the query's gradient is now the translation's.
        room.q_gradient[k] *= direction
        seen.map_gradient[k] = _ZERO
    for j in range(last + 2):
        true = j >= last
        if true or room.slopes[j] != _ZERO:
            too_long = true and excess_length(entity.rows, seen.who[j], dim) > _ZERO
            shrink = _TWO * soft if too_long else _ZERO
            move_entity(entity, seen.who[j], normal.rows, r, seen, j, shrink, rule)
    if tilt > _ZERO:
        straighten(relation.rows, normal.rows, r, soft, room, seen, dim)
    descend(relation, r, room.q_gradient, rule, dim)
    turn(normal, r, seen.map_gradient, rule)
    return value


@cache
def train_blocks_for(
    dim: int, negatives: int, norm: int, loss: int, optimiser: int, ball: bool
) -> Callable[..., float]:
    """`train_blocks`, compiled for what is the same in every step; see `transe`."""

    @lean_kernel
    def train_blocks(
        entity: Table,
        relation: Table,
        normal: Table,
        triples: np.ndarray,
        blocks: np.ndarray,
        block_size: int,
        known: Known,
        margins: TripleMargins,
        given: Rule,
        state: np.ndarray,
        room: Scratch,
        seen: Projections,
    ) -> float:
        """Draw and step over the triples of these blocks, in this order; the sum of the losses."""
        sizes = (dim or given.dim, negatives or given.negatives)
        rule = Rule(*sizes, norm, loss, optimiser, ball, *given[6:])
        tables, drawn, sides = (entity, relation, normal), room.negatives, room.sides
        total = 0.0
        for b in range(blocks.shape[0]):
            first = blocks[b] * block_size
            count = min(block_size, triples.shape[0] - first)
            draw_block(entity.rows, triples, first, count, known, state, room, rule.dim)
            for at in range(count):
                if at + AHEAD < count:
                    prefetch_triple(entity, relation, triples, first + at + AHEAD, rule.dim)
                    prefetch_row(normal.rows, triples[first + at + AHEAD, 1], rule.dim)
                if sides[at] >= 0:
                    i, side = first + at, sides[at]
                    margin = margin_of(margins, i, side)
                    total += step(*tables, triples, i, side, drawn, at, margin, rule, room, seen)
        return total

    return train_blocks
