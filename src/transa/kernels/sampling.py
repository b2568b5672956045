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

# Odd numbers without a pattern, as multiplicative hashing wants.
_HASH_H, _HASH_R = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_HASH_T, _HASH_LAST = np.uint64(0x165667B19E3779F9), np.uint64(0xD6E8FEB86659FD93)


class Known(NamedTuple):
    """What must not be drawn, and how often which side is.

    Attributes:
        n_entities: corruptions are drawn from these.
        tail_rate: float32 per relation, how often the tail is the side corrupted.
        tails: int32, the tails of every (h, r), sorted.
        tail_spans: int32 (n, 2), each triple's span of `tails`.
        heads: int32, the heads of every (r, t), sorted.
        head_spans: int32 (n, 2), each triple's span of `heads`.
        marks: uint64, a bit per hash of a known triple. A bit that is not set says at once, in one
            read, that a triple is not known; it nearly always is not.
    """

    n_entities: int
    tail_rate: np.ndarray
    tails: np.ndarray
    tail_spans: np.ndarray
    heads: np.ndarray
    head_spans: np.ndarray
    marks: np.ndarray


@inline
def mark_of(h: int, r: int, t: int, n_words: int) -> tuple[int, np.uint64]:
    """The word and the bit of a triple's mark; the number of words is a power of two."""
    key = np.uint64(h) * _HASH_H + np.uint64(r) * _HASH_R + np.uint64(t) * _HASH_T
    key = (key ^ (key >> np.uint64(29))) * _HASH_LAST
    word = np.int64((key >> np.uint64(32)) & np.uint64(n_words - 1))
    return word, np.uint64(1) << ((key >> np.uint64(20)) & np.uint64(63))


@kernel
def mark_all(triples: np.ndarray, marks: np.ndarray) -> None:
    """Set the bit of every triple."""
    for i in range(triples.shape[0]):
        word, bit = mark_of(triples[i, 0], triples[i, 1], triples[i, 2], marks.shape[0])
        marks[word] |= bit


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
def is_known(known: Known, i: int, h: int, r: int, t: int, side: int) -> bool:
    """Whether (h, r, t), a corruption of triple i on this side, is a known triple."""
    word, bit = mark_of(h, r, t, known.marks.shape[0])
    if known.marks[word] & bit == 0:
        return False
    if side == TAIL:
        return contains(known.tails, known.tail_spans[i, 0], known.tail_spans[i, 1], t)
    return contains(known.heads, known.head_spans[i, 0], known.head_spans[i, 1], h)


@inline
def draw_unknown(state: np.ndarray, known: Known, i: int, h: int, r: int, t: int, side: int) -> int:
    """A random entity for this side of triple i that makes no known triple; -1 if there is none."""
    n = known.n_entities
    for _ in range(_RANDOM_TRIES):
        x = below(state, n)
        if side == TAIL:
            found = is_known(known, i, h, r, x, side)
        else:
            found = is_known(known, i, x, r, t, side)
        if not found:
            return x
    first = below(state, n)
    for offset in range(n):
        x = first + offset
        if x >= n:
            x -= n
        if side == TAIL:
            found = is_known(known, i, h, r, x, side)
        else:
            found = is_known(known, i, x, r, t, side)
        if not found:
            return x
    return -1


@inline
def corrupt(
    triples: np.ndarray,
    i: int,
    known: Known,
    state: np.ndarray,
    negatives: np.ndarray,
    at: int,
) -> int:
    """Fill negatives[at] with corruptions of one side of triple i; the side, -1 if none exist."""
    h, r, t = triples[i, 0], triples[i, 1], triples[i, 2]
    side = TAIL if uniform(state) < known.tail_rate[r] else HEAD
    for j in range(negatives.shape[1]):
        drawn = draw_unknown(state, known, i, h, r, t, side)
        if drawn < 0:
            return -1
        negatives[at, j] = drawn
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
        sides[i] = corrupt(triples, which[i], known, state, negatives, i)
