"""Corrupting triples: which side, and by whom; never a known triple."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from transa.kernels.jit import inline, kernel
from transa.kernels.random import below, uniform

# A random draw is nearly always free at once; a dense graph needs the sweep that follows.
_RANDOM_TRIES = 16
# Below this many known answers a scan beats a binary search.
_SCAN = 16

HEAD, TAIL = 0, 1


class Known(NamedTuple):
    """What must not be drawn, and how often which side is.

    Attributes:
        n_entities: corruptions are drawn from these.
        tail_rate: float32 per relation, how often the tail is the side corrupted.
        tails: int32, the tails of every (h, r), sorted.
        tail_spans: int32 (n, 2), each triple's span of `tails`.
        heads: int32, the heads of every (r, t), sorted.
        head_spans: int32 (n, 2), each triple's span of `heads`.
    """

    n_entities: int
    tail_rate: np.ndarray
    tails: np.ndarray
    tail_spans: np.ndarray
    heads: np.ndarray
    head_spans: np.ndarray


@inline
def contains(values: np.ndarray, start: int, stop: int, wanted: int) -> bool:
    """Whether values[start:stop], which is sorted, holds `wanted`."""
    while stop - start > _SCAN:
        middle = (start + stop) >> 1
        if values[middle] <= wanted:
            start = middle
        else:
            stop = middle
    for i in range(start, stop):  # noqa: SIM110 (Numba inlines a loop, not any())
        if values[i] == wanted:
            return True
    return False


@inline
def draw_unknown(state: np.ndarray, n: int, known: np.ndarray, start: int, stop: int) -> int:
    """A random entity outside known[start:stop]; -1 if every entity is known."""
    for _ in range(_RANDOM_TRIES):
        candidate = below(state, n)
        if not contains(known, start, stop, candidate):
            return candidate
    first = below(state, n)
    for offset in range(n):
        candidate = first + offset
        if candidate >= n:
            candidate -= n
        if not contains(known, start, stop, candidate):
            return candidate
    return -1


@inline
def corrupt(i: int, relation: int, known: Known, state: np.ndarray, negatives: np.ndarray) -> int:
    """Fill `negatives` with corruptions of one side of triple i; the side, or -1 if none exists."""
    side = TAIL if uniform(state) < known.tail_rate[relation] else HEAD
    if side == TAIL:
        answers, start, stop = known.tails, known.tail_spans[i, 0], known.tail_spans[i, 1]
    else:
        answers, start, stop = known.heads, known.head_spans[i, 0], known.head_spans[i, 1]
    for j in range(len(negatives)):
        negatives[j] = draw_unknown(state, known.n_entities, answers, start, stop)
        if negatives[j] < 0:
            return -1
    return side


@kernel
def corrupt_many(
    triples: np.ndarray,
    which: np.ndarray,
    known: Known,
    state: np.ndarray,
    sides: np.ndarray,
    negatives: np.ndarray,
) -> None:
    """Corrupt the triples numbered `which` (n,): fills sides (n,) and negatives (n, K)."""
    for i in range(which.shape[0]):
        sides[i] = corrupt(which[i], triples[which[i], 1], known, state, negatives[i])
