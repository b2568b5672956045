"""What every training loop does with a block of triples before its first step."""

from __future__ import annotations

import numpy as np

from transa.kernels.jit import inline
from transa.kernels.prefetch import prefetch_row
from transa.kernels.training.optimisers import Table
from transa.kernels.training.sampling import TAIL, Known, corrupt, draw_pool
from transa.kernels.training.step import Scratch

# Triples between asking for rows and reading them.
AHEAD = 3


@inline
def draw_block(
    entity: np.ndarray,
    triples: np.ndarray,
    first: int,
    count: int,
    known: Known,
    state: np.ndarray,
    room: Scratch,
    dim: int,
) -> None:
    """Corrupt the triples from `first` on: fills room.sides and room.negatives.

    All of a block's corruptions are drawn before its first step, so that rows can be fetched ahead.
    """
    draw_pool(state, known, room.pool)
    for j in range(room.pool.shape[0]):
        prefetch_row(entity, room.pool[j], dim)
    for at in range(count):
        room.sides[at] = corrupt(triples, first + at, known, room.pool, state, room.negatives, at)


@inline
def anchor_and_answer(triples: np.ndarray, i: int, side: int) -> tuple[int, int]:
    """The entity that stays and the one that is corrupted.

    The side is a coin's, which cannot be predicted: it must not be branched on.
    """
    h, t = triples[i, 0], triples[i, 2]
    swap = (h ^ t) & -np.int32(side != TAIL)
    return h ^ swap, t ^ swap


@inline
def prefetch_triple(entity: Table, relation: Table, triples: np.ndarray, i: int, dim: int) -> None:
    """Ask for the rows that a coming step reads; those of the pool are near already."""
    prefetch_row(entity.rows, triples[i, 0], dim)
    prefetch_row(relation.rows, triples[i, 1], dim)
    prefetch_row(entity.rows, triples[i, 2], dim)
