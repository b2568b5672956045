"""Training steps of Unstructured, fused: f = ‖h − t‖₂², whatever the relation.

The query is the anchor itself; relations have no rows, so that none is read or moved.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from transa.kernels.distances import distance_to_row
from transa.kernels.jit import inline, lean_kernel
from transa.kernels.margins.readings import TripleMargins, margin_of
from transa.kernels.prefetch import prefetch_row
from transa.kernels.training.blocks import AHEAD, anchor_and_answer, draw_block
from transa.kernels.training.candidates import asks_for_nothing, pull_candidates
from transa.kernels.training.optimisers import Table, descend_entity
from transa.kernels.training.sampling import Known
from transa.kernels.training.step import Rule, Scratch


@inline
def step(
    entity: Table,
    triples: np.ndarray,
    i: int,
    side: int,
    negatives: np.ndarray,
    at: int,
    margin: np.float32,
    rule: Rule,
    room: Scratch,
) -> np.float32:
    """Triple i against negatives[at], in place; the loss before the update."""
    anchor, answer = anchor_and_answer(triples, i, side)
    for k in range(rule.dim):
        room.q[k] = entity.rows[anchor, k]
    positive = distance_to_row(room.q, entity.rows, answer, rule.norm, rule.dim)
    value, slope = pull_candidates(entity, answer, negatives, at, positive, margin, rule, room)
    if not asks_for_nothing(rule.loss, slope):
        descend_entity(entity, anchor, room.q_gradient, rule)
    return value


@cache
def train_blocks_for(
    dim: int, negatives: int, norm: int, loss: int, optimiser: int, ball: bool
) -> Callable[..., float]:
    """`train_blocks`, compiled for what is the same in every step; see `transe`."""

    @lean_kernel
    def train_blocks(
        entity: Table,
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
                    prefetch_row(entity.rows, triples[first + at + AHEAD, 0], rule.dim)
                    prefetch_row(entity.rows, triples[first + at + AHEAD, 2], rule.dim)
                if sides[at] >= 0:
                    i = first + at
                    margin = margin_of(margins, i, sides[at])
                    total += step(entity, triples, i, sides[at], drawn, at, margin, rule, room)
        return total

    return train_blocks
