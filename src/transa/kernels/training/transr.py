"""Training steps of TransR, fused: f = ‖M h + d − M t‖, M a relation's matrix.

With g = dL/d(Me), an entity's gradient is Mᵀ g, and its share of the matrix's is g eᵀ: for every
entity of a step alike, be it anchor, answer or corruption. Matrices come as rows of a table, k × d
weights each.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from transa.kernels.jit import inline, lean_kernel
from transa.kernels.margins.readings import TripleMargins, margin_of
from transa.kernels.prefetch import prefetch_row
from transa.kernels.training.blocks import AHEAD, anchor_and_answer, draw_block
from transa.kernels.training.candidates import asks_for_nothing
from transa.kernels.training.optimisers import Table, descend, descend_entity
from transa.kernels.training.projections import (
    TOGETHER,
    Projections,
    derive_projections,
    gather,
    judge_images,
)
from transa.kernels.training.sampling import Known
from transa.kernels.training.step import Rule, Scratch

_ZERO = np.float32(0)


@inline
def project(
    entity: np.ndarray, matrix: np.ndarray, r: int, seen: Projections, j: int, dim: int, space: int
) -> None:
    """Project three entities into the relation's space, to rows j, j + 1 and j + 2."""
    a, b, c = seen.who[j], seen.who[j + 1], seen.who[j + 2]
    for i in range(space):
        of_a, of_b, of_c = _ZERO, _ZERO, _ZERO
        for k in range(dim):
            weight = matrix[r, i * dim + k]
            of_a += weight * entity[a, k]
            of_b += weight * entity[b, k]
            of_c += weight * entity[c, k]
        seen.of[j, i], seen.of[j + 1, i], seen.of[j + 2, i] = of_a, of_b, of_c


@inline
def derive_matrix(entity: np.ndarray, seen: Projections, dim: int, space: int) -> None:
    """The matrix's gradient, Σ g eᵀ, three entities at a time."""
    for i in range(space):
        for k in range(dim):
            seen.map_gradient[i * dim + k] = _ZERO
        for j in range(0, seen.who.shape[0], TOGETHER):
            a, b, c = seen.who[j], seen.who[j + 1], seen.who[j + 2]
            g = seen.derivatives[j, i]
            g_b, g_c = seen.derivatives[j + 1, i], seen.derivatives[j + 2, i]
            for k in range(dim):
                shares = g * entity[a, k] + g_b * entity[b, k] + g_c * entity[c, k]
                seen.map_gradient[i * dim + k] += shares


@inline
def derive_entity(
    matrix: np.ndarray, r: int, seen: Projections, j: int, dim: int, space: int
) -> None:
    """The gradient of the entity of row j, Mᵀ g."""
    for k in range(dim):
        seen.gradient[k] = _ZERO
    for i in range(space):
        g = seen.derivatives[j, i]
        for k in range(dim):
            seen.gradient[k] += g * matrix[r, i * dim + k]


@inline
def step(
    entity: Table,
    relation: Table,
    projection: Table,
    triples: np.ndarray,
    i: int,
    side: int,
    negatives: np.ndarray,
    at: int,
    margin: np.float32,
    rule: Rule,
    room: Scratch,
    seen: Projections,
    space: int,
) -> np.float32:
    """Triple i against negatives[at], in place; the loss before the update."""
    dim, last, r, matrix = rule.dim, rule.negatives, triples[i, 1], projection.rows
    anchor, answer = anchor_and_answer(triples, i, side)
    direction = np.float32(2 * side - 1)
    gather(seen, negatives, at, answer, anchor, rule)
    for j in range(0, seen.who.shape[0], TOGETHER):
        project(entity.rows, matrix, r, seen, j, dim, space)
    value, positive, slope = judge_images(
        relation.rows, r, direction, margin, rule, room, seen, space
    )
    if asks_for_nothing(rule.loss, slope):
        return value
    derive_projections(positive, slope, rule, room, seen, space)
    for k in range(space):
        # What was the query's gradient is now the translation's.
        room.q_gradient[k] *= direction
    derive_matrix(entity.rows, seen, dim, space)
    for j in range(last + 2):
        if j >= last or room.slopes[j] != _ZERO:
            derive_entity(matrix, r, seen, j, dim, space)
            descend_entity(entity, seen.who[j], seen.gradient, rule)
    descend(relation, r, room.q_gradient, rule, space)
    descend(projection, r, seen.map_gradient, rule, space * dim)
    return value


@cache
def train_blocks_for(
    dim: int, negatives: int, norm: int, loss: int, optimiser: int, ball: bool, space: int
) -> Callable[..., float]:
    """`train_blocks`, compiled for what is the same in every step; see `transe`."""

    @lean_kernel
    def train_blocks(
        entity: Table,
        relation: Table,
        projection: Table,
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
        tables, drawn, sides = (entity, relation, projection), room.negatives, room.sides
        width = space or relation.rows.shape[1]
        total = 0.0
        for b in range(blocks.shape[0]):
            first = blocks[b] * block_size
            count = min(block_size, triples.shape[0] - first)
            draw_block(entity.rows, triples, first, count, known, state, room, rule.dim)
            for at in range(count):
                if at + AHEAD < count:
                    prefetch_row(entity.rows, triples[first + at + AHEAD, 0], rule.dim)
                    prefetch_row(entity.rows, triples[first + at + AHEAD, 2], rule.dim)
                if sides[at] >= 0:
                    i, side = first + at, sides[at]
                    margin = margin_of(margins, i, side)
                    total += step(
                        *tables, triples, i, side, drawn, at, margin, rule, room, seen, width
                    )
        return total

    return train_blocks
