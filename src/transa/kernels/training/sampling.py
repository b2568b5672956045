"""Corrupting triples: which side, and by whom; never a known triple.

The triples of a block draw from a pool of entities that is drawn for the block. Every corruption is
as likely as every other, as if each were drawn by itself, but rows of the pool are read from memory
once a block: a step is bound by the rows that it reads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from transa.kernels.jit import inline, kernel, piece
from transa.kernels.memory import apart
from transa.kernels.random import below, below_by, next_uint64, uniform

# A random draw is nearly always free at once; a dense graph needs the sweep that follows.
_RANDOM_TRIES = 16
# Below this many known answers a scan beats a binary search.
_SCAN = 16

HEAD, TAIL = 0, 1

# Entities in a pool: enough that no row is pushed about by most of its block, few enough for the
# first cache.
_POOL, _POOL_PER_NEGATIVE = 16, 4

# Odd numbers without a pattern, as multiplicative hashing wants.
_HASH_H, _HASH_R = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_HASH_T, _HASH_LAST = np.uint64(0x165667B19E3779F9), np.uint64(0xD6E8FEB86659FD93)
# One of the two turns into the other.
_HASH_H_OR_T = _HASH_H ^ _HASH_T

_LOW_6, _LOW_32 = np.uint64(63), np.uint64(0xFFFFFFFF)
_INVERSE_2_32 = 1.0 / (1 << 32)


class Known(NamedTuple):
    """What must not be drawn, and how often which side is.

    Attributes:
        n_entities: corruptions are drawn from these.
        tail_rate: float32 per relation, how often the tail is the side corrupted.
        tails: int32, the tails of every (h, r), sorted.
        tail_spans: int32 (n, 2), each triple's span of `tails`.
        heads: int32, the heads of every (r, t), sorted.
        head_spans: int32 (n, 2), each triple's span of `heads`.
        marks: uint64, three bits per known triple in one word, chosen by its hash. Where they are
            not all set a triple is not known, which one read tells. A few unknown triples in a
            thousand (in ten thousand, in a small graph) look known and are not drawn either.
        same_position: the share of corruptions drawn from the entities seen in that position.
        seen: int32, those entities: of every relation its heads, then of every relation its tails.
        seen_first: where each relation's begin in `seen`, for heads and for tails.
    """

    n_entities: int
    tail_rate: np.ndarray
    tails: np.ndarray
    tail_spans: np.ndarray
    heads: np.ndarray
    head_spans: np.ndarray
    marks: np.ndarray
    same_position: float
    seen: np.ndarray
    seen_first: np.ndarray


@inline
def mark_of(key: np.uint64, n_words: int) -> tuple[int, np.uint64]:
    """The word of a triple's mark and its bits there; the number of words is a power of two."""
    key = (key ^ (key >> np.uint64(29))) * _HASH_LAST
    word = np.int64((key >> np.uint64(32)) & np.uint64(n_words - 1))
    bits = np.uint64(1) << (key & _LOW_6)
    bits |= np.uint64(1) << ((key >> np.uint64(6)) & _LOW_6)
    bits |= np.uint64(1) << ((key >> np.uint64(12)) & _LOW_6)
    return word, bits


@kernel
def mark_all(triples: np.ndarray, marks: np.ndarray) -> None:
    """Set the bits of every triple."""
    for i in range(triples.shape[0]):
        h, r, t = np.uint64(triples[i, 0]), np.uint64(triples[i, 1]), np.uint64(triples[i, 2])
        word, bits = mark_of(h * _HASH_H + r * _HASH_R + t * _HASH_T, marks.shape[0])
        marks[word] |= bits


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
def is_known(known: Known, i: int, side: int, x: int) -> bool:
    """Whether x on this side of triple i makes a known triple."""
    if side == TAIL:
        return contains(known.tails, known.tail_spans[i, 0], known.tail_spans[i, 1], x)
    return contains(known.heads, known.head_spans[i, 0], known.head_spans[i, 1], x)


@piece
def draw_unknown(state: np.ndarray, known: Known, i: int, side: int) -> int:
    """A random entity that makes no known triple on this side of triple i; -1 if all do."""
    n = known.n_entities
    x = below(state, n)
    for _ in range(_RANDOM_TRIES):
        if not is_known(known, i, side, x):
            return x
        x = below(state, n)
    for _ in range(n):
        if not is_known(known, i, side, x):
            return x
        x = x + 1 if x + 1 < n else 0
    return -1


@piece
def draw_in_position(
    state: np.ndarray, known: Known, i: int, r: int, side: int, negatives: np.ndarray, at: int
) -> None:
    """Replace corruptions of triple i, by chance, by entities seen on that side of its relation.

    One stays as it is where chance finds only known triples.
    """
    first = known.seen_first[side, r]
    count = known.seen_first[side, r + 1] - first
    for j in range(negatives.shape[1]):
        if uniform(state) < known.same_position:
            for _ in range(_RANDOM_TRIES):
                x = known.seen[first + below(state, count)]
                if not is_known(known, i, side, x):
                    negatives[at, j] = x
                    break


def empty_pool(k: int) -> np.ndarray:
    """Room for the pool of triples with k corruptions each."""
    return apart(max(_POOL, _POOL_PER_NEGATIVE * k), np.int32)


@inline
def draw_pool(state: np.ndarray, known: Known, pool: np.ndarray) -> None:
    """Fill the pool that the triples of a block draw from."""
    for j in range(pool.shape[0]):
        pool[j] = below(state, known.n_entities)


@inline
def corrupt(
    triples: np.ndarray,
    i: int,
    known: Known,
    pool: np.ndarray,
    state: np.ndarray,
    negatives: np.ndarray,
    at: int,
) -> int:
    """Fill negatives[at] with corruptions of one side of triple i; the side, -1 if none exist.

    They follow each other in the pool, from a random place on, but for those whose marks say that
    they may be known. A coin cannot be predicted, so which side it is must not be branched on.
    """
    h, r, t = triples[i, 0], triples[i, 1], triples[i, 2]
    random = next_uint64(state)
    side = np.int64(np.float64(random & _LOW_32) * _INVERSE_2_32 < known.tail_rate[r])
    anchor = np.uint64(t ^ ((h ^ t) & -side))
    factor = _HASH_H ^ (_HASH_H_OR_T & np.uint64(-side))
    hashed = np.uint64(r) * _HASH_R + anchor * (factor ^ _HASH_H_OR_T)
    place = below_by(random, pool.shape[0])
    for j in range(negatives.shape[1]):
        tried = 0
        while tried < pool.shape[0]:
            x = pool[place]
            place = place + 1 if place + 1 < pool.shape[0] else 0
            word, bits = mark_of(hashed + np.uint64(x) * factor, known.marks.shape[0])
            if known.marks[word] & bits != bits:
                break
            tried += 1
        negatives[at, j] = x
        if tried == pool.shape[0]:
            negatives[at, j] = draw_unknown(state, known, i, side)
            if negatives[at, j] < 0:
                return -1
    if known.same_position > 0:
        draw_in_position(state, known, i, r, side, negatives, at)
    return side


@kernel
def corrupt_many(
    triples: np.ndarray,
    which: np.ndarray,
    block_size: int,
    known: Known,
    pool: np.ndarray,
    state: np.ndarray,
    sides: np.ndarray,
    negatives: np.ndarray,
) -> None:
    """Corrupt the triples numbered `which` (n,): fills sides (n,) and negatives (n, K)."""
    for i in range(which.shape[0]):
        if i % block_size == 0:
            draw_pool(state, known, pool)
        sides[i] = corrupt(triples, which[i], known, pool, state, negatives, i)
