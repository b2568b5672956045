"""What one core of this machine can do: copying, reading rows in random order, arithmetic."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from transa.kernels.distances import L1, L2SQ, distance_to_row
from transa.kernels.jit import lean_kernel
from transa.kernels.prefetch import prefetch_row
from transa.kernels.threads import over_spans

# What is copied, by the cache that it fits in on common machines.
COPIED = {"L2": 128 << 10, "L3": 4 << 20, "memory": 256 << 20}
_AHEAD = 6


@dataclass(frozen=True)
class Ceilings:
    """Per core: bytes and operations a second.

    Attributes:
        copied: bytes read and written a second, by what the arrays fit in.
        copied_by_two: the same of two threads together, in memory.
        rows: bytes a second of rows read in random order, by the size of the table in bytes.
        l1: operations a second of ‖q − x‖₁ on rows in the innermost cache (−, abs, +).
        l2: the same of ‖q − x‖₂² (−, ×, +).
        gemm: operations a second of a matrix product (×, +).
    """

    copied: dict[str, float]
    copied_by_two: float
    rows: dict[int, float]
    l1: float
    l2: float
    gemm: float


def measure(dim: int, table_sizes: tuple[int, ...]) -> Ceilings:
    """All of it; some seconds."""
    return Ceilings(
        copied={level: copy_rate(size) for level, size in COPIED.items()},
        copied_by_two=copy_rate(COPIED["memory"], threads=2),
        rows={rows: row_rate(rows, dim) for rows in table_sizes},
        l1=distance_rate(L1, dim),
        l2=distance_rate(L2SQ, dim),
        gemm=gemm_rate(),
    )


def best_seconds(work: Callable[[], object], repeats: int = 5) -> float:
    """The least of a few runs, after one that warms up."""
    work()
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def copy_rate(size: int, threads: int = 1) -> float:
    """Bytes read and written a second; each thread copies an array of its own."""
    pairs = [(np.ones(size, np.uint8), np.zeros(size, np.uint8)) for _ in range(threads)]
    times = max(1, (256 << 20) // size)

    def copy(thread: int, _start: int, _stop: int) -> None:
        source, target = pairs[thread]
        for _ in range(times):
            np.copyto(target, source)

    seconds = best_seconds(lambda: over_spans(copy, threads, threads))
    return 2 * size * times * threads / seconds


@lean_kernel
def sum_of_distances(rows: np.ndarray, q: np.ndarray, which: np.ndarray, norm: int) -> float:
    """Σ ‖q − rows[i]‖ over the rows named."""
    total = 0.0
    for i in range(which.shape[0]):
        if i + _AHEAD < which.shape[0]:
            prefetch_row(rows, which[i + _AHEAD], rows.shape[1])
        total += distance_to_row(q, rows, which[i], norm, q.shape[0])
    return total


def row_rate(rows: int, dim: int) -> float:
    """Bytes a second of rows in random order, each read once for one distance."""
    rng = np.random.default_rng(0)
    table = rng.random((rows, dim), dtype=np.float32)
    which = rng.integers(rows, size=200_000).astype(np.int32)
    seconds = best_seconds(lambda: sum_of_distances(table, table[0].copy(), which, L1))
    return table.strides[0] * len(which) / seconds


def distance_rate(norm: int, dim: int) -> float:
    """Operations a second of distances to a few rows that stay in the innermost cache."""
    table = np.random.default_rng(0).random((16, dim), dtype=np.float32)
    which = np.tile(np.arange(16, dtype=np.int32), 20_000)
    seconds = best_seconds(lambda: sum_of_distances(table, table[0].copy(), which, norm))
    return 3 * dim * len(which) / seconds


def gemm_rate(size: int = 768) -> float:
    """Operations a second of a product of single-precision matrices on one thread."""
    import torch

    torch.set_num_threads(1)
    a = torch.rand(size, size)
    return 2 * size**3 / best_seconds(lambda: a @ a)
