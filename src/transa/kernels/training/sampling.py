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

# A random draw is nearly always free at once. Where so many are not, or where fewer than one in
# HOPELESS is, a free one is counted out: round a hub nearly everything is known.
TRIES, HOPELESS = 16, 64
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


@inline
def mark_triple(h: int, r: int, t: int, marks: np.ndarray) -> None:
    """Set the bits of a triple."""
    key = np.uint64(h) * _HASH_H + np.uint64(r) * _HASH_R + np.uint64(t) * _HASH_T
    word, bits = mark_of(key, marks.shape[0])
    marks[word] |= bits


@kernel
def mark_all(triples: np.ndarray, marks: np.ndarray) -> None:
    """Set the bits of every triple."""
    for i in range(triples.shape[0]):
        mark_triple(triples[i, 0], triples[i, 1], triples[i, 2], marks)


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
def nth(values: np.ndarray, i: int) -> int:
    """The i-th of sorted values, or of all numbers from 0 where there are no values."""
    return values[i] if len(values) > 0 else i


@piece
def draw_among(
    state: np.ndarray,
    values: np.ndarray,
    begin: int,
    end: int,
    taken: np.ndarray,
    start: int,
    stop: int,
) -> int:
    """One of values[begin:end] that is not in taken[start:stop], at random; -1 if all are.

    Both are sorted, and what is taken is one of the values; see `nth` for values that are all
    numbers. The j-th that is not taken stands after as many taken ones as have fewer than j + 1
    free ones before them: those taken[i] that are at most the (j + i)-th value.
    """
    free = (end - begin) - (stop - start)
    if free == 0:
        return -1
    if free * HOPELESS >= end - begin:
        for _ in range(TRIES):
            x = nth(values, begin + below(state, end - begin))
            if not contains(taken, start, stop, x):
                return x
    place = begin + below(state, free)
    first = start
    while start < stop:
        middle = (start + stop) >> 1
        if taken[middle] <= nth(values, place + (middle - first)):
            start = middle + 1
        else:
            stop = middle
    return nth(values, place + (start - first))


@inline
def span_of(known: Known, i: int, side: int) -> tuple[int, int]:
    """Where the known answers on this side of triple i start and stop."""
    spans = known.tail_spans if side == TAIL else known.head_spans
    return np.int64(spans[i, 0]), np.int64(spans[i, 1])


@piece
def draw_unknown(state: np.ndarray, known: Known, i: int, side: int) -> int:
    """A random entity that makes no known triple on this side of triple i; -1 if all do."""
    start, stop = span_of(known, i, side)
    everyone, n = known.seen[:0], known.n_entities
    if side == TAIL:
        return draw_among(state, everyone, 0, n, known.tails, start, stop)
    return draw_among(state, everyone, 0, n, known.heads, start, stop)


@piece
def draw_in_position(
    state: np.ndarray, known: Known, i: int, r: int, side: int, negatives: np.ndarray, at: int
) -> None:
    """Replace corruptions of triple i, by chance, by entities seen on that side of its relation.

    They stay as they are where all of these make known triples.
    """
    begin, end = known.seen_first[side, r], known.seen_first[side, r + 1]
    start, stop = span_of(known, i, side)
    for j in range(negatives.shape[1]):
        if uniform(state) < known.same_position:
            if side == TAIL:
                x = draw_among(state, known.seen, begin, end, known.tails, start, stop)
            else:
                x = draw_among(state, known.seen, begin, end, known.heads, start, stop)
            if x >= 0:
                negatives[at, j] = x


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
    tried = 0
    for j in range(negatives.shape[1]):
        # A pool that had none for the one before has none for this one.
        tried = tried if tried == pool.shape[0] else 0
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
