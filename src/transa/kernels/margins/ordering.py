"""Neighbours in order of distance: a small sort of keys and what they belong to, in given room."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from transa.kernels.jit import inline, piece

# Up to this many are put in order one by one; more are dealt into buckets first.
_FEW = 16
# Round every anchor of FB15K: one bucket a key 11.5 ms, two 9.4, four 8.7.
_BUCKETS_PER_KEY = 4
# A bucket of more has keys that are not spread evenly; then a heap sorts, however they lie.
_CROWD = 32


class OrderingRoom(NamedTuple):
    """Room to sort up to n keys.

    Attributes:
        keys: float (n,), the keys to sort; sorted afterwards.
        items: int32 (n,), what each key belongs to; moves with it.
        other_keys: float (n,), for the work.
        other_items: int32 (n,), for the work.
        bounds: int32, one for each bucket and one more, for the work.
    """

    keys: np.ndarray
    items: np.ndarray
    other_keys: np.ndarray
    other_items: np.ndarray
    bounds: np.ndarray


def room_for_ordering(n: int, dtype: np.dtype) -> OrderingRoom:
    """Room to sort up to n keys of this type."""
    return OrderingRoom(
        np.empty(n, dtype),
        np.empty(n, np.int32),
        np.empty(n, dtype),
        np.empty(n, np.int32),
        np.empty(_BUCKETS_PER_KEY * n + 1, np.int32),
    )


@inline
def put_in_order(room: OrderingRoom, n: int) -> None:
    """Sort the first n keys, and their items with them."""
    if n > _FEW and not deal_out(room, n):
        heap_sort(room.keys, room.items, n)
        return
    keys, items = room.keys, room.items
    for i in range(1, n):
        key, item = keys[i], items[i]
        j = i - 1
        while j >= 0 and keys[j] > key:
            keys[j + 1], items[j + 1] = keys[j], items[j]
            j -= 1
        keys[j + 1], items[j + 1] = key, item


@inline
def bucket_of(above: float, scale: float, n_buckets: int) -> int:
    """The bucket of a key by how far it lies above the lowest: the last for what is no number."""
    at = above * scale
    return int(at) if at < n_buckets else n_buckets - 1


@inline
def deal_out(room: OrderingRoom, n: int) -> bool:
    """Bring the first n keys into buckets of equal width; False if one would be crowded."""
    keys, items, bounds = room.keys, room.items, room.bounds
    low = high = keys[0]
    for i in range(1, n):
        low, high = min(low, keys[i]), max(high, keys[i])
    n_buckets = _BUCKETS_PER_KEY * n
    scale = keys.dtype.type((n_buckets - 1) / (high - low))
    if not scale < math.inf:
        return False
    for b in range(n_buckets + 1):
        bounds[b] = 0
    fullest = 0
    for i in range(n):
        b = bucket_of(keys[i] - low, scale, n_buckets) + 1
        bounds[b] += 1
        fullest = max(fullest, bounds[b])
    if fullest > _CROWD:
        return False
    for b in range(1, n_buckets):
        bounds[b] += bounds[b - 1]
    for i in range(n):
        b = bucket_of(keys[i] - low, scale, n_buckets)
        at = bounds[b]
        bounds[b] = at + 1
        room.other_keys[at], room.other_items[at] = keys[i], items[i]
    for i in range(n):
        keys[i], items[i] = room.other_keys[i], room.other_items[i]
    return True


@piece
def heap_sort(keys: np.ndarray, items: np.ndarray, n: int) -> None:
    """Sort the first n keys, and their items with them, in place and in n log n steps."""
    for start in range(n // 2 - 1, -1, -1):
        sift_down(keys, items, start, n)
    for end in range(n - 1, 0, -1):
        keys[0], keys[end] = keys[end], keys[0]
        items[0], items[end] = items[end], items[0]
        sift_down(keys, items, 0, end)


@piece
def sift_down(keys: np.ndarray, items: np.ndarray, start: int, end: int) -> None:
    """Let the key at `start` sink to its place in the heap of the first `end` keys."""
    key, item = keys[start], items[start]
    hole, child = start, 2 * start + 1
    while child < end:
        if child + 1 < end and keys[child + 1] > keys[child]:
            child += 1
        if keys[child] <= key:
            break
        keys[hole], items[hole] = keys[child], items[child]
        hole, child = child, 2 * child + 1
    keys[hole], items[hole] = key, item
