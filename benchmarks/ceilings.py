"""What one core of this machine can do: copying, reading rows in random order, arithmetic."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from transa.kernels.distances import L1, distance_to_row
from transa.kernels.jit import lean_kernel
from transa.kernels.prefetch import prefetch_row
from transa.kernels.threads import over_spans

# The length of a vector, known to the kernels as it is to the library's.
DIM = 100
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
        l1: operations a second of Σ |x − c| in the innermost cache (−, abs, +).
        l2: the same of Σ (x − c)² (−, ×, +).
        gemm: operations a second of a matrix product (×, +).
    """

    copied: dict[str, float]
    copied_by_two: float
    rows: dict[int, float]
    l1: float
    l2: float
    gemm: float


def measure(table_sizes: tuple[int, ...]) -> Ceilings:
    """All of it; some seconds."""
    return Ceilings(
        copied={level: copy_rate(size) for level, size in COPIED.items()},
        copied_by_two=copy_rate(COPIED["memory"], threads=2),
        rows={rows: row_rate(rows) for rows in table_sizes},
        l1=arithmetic_rate(sum_of_absolutes),
        l2=arithmetic_rate(sum_of_squares),
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
def sum_of_distances(rows: np.ndarray, q: np.ndarray, which: np.ndarray) -> float:
    """Σ ‖q − rows[i]‖₁ over the rows named."""
    total = 0.0
    for i in range(which.shape[0]):
        if i + _AHEAD < which.shape[0]:
            prefetch_row(rows, which[i + _AHEAD], DIM)
        total += distance_to_row(q, rows, which[i], L1, DIM)
    return total


def row_rate(rows: int) -> float:
    """Bytes a second of rows in random order, each read once for one distance."""
    rng = np.random.default_rng(0)
    table = rng.random((rows, DIM), dtype=np.float32)
    which = rng.integers(rows, size=200_000).astype(np.int32)
    seconds = best_seconds(lambda: sum_of_distances(table, table[0].copy(), which))
    return table.strides[0] * len(which) / seconds


@lean_kernel
def sum_of_absolutes(values: np.ndarray, times: int) -> float:
    """Σ |x − c| for several c."""
    total = 0.0
    for c in range(times):
        inner = np.float32(0)
        for k in range(values.shape[0]):
            inner += abs(values[k] - np.float32(c))
        total += inner
    return total


@lean_kernel
def sum_of_squares(values: np.ndarray, times: int) -> float:
    """Σ (x − c)² for several c."""
    total = 0.0
    for c in range(times):
        inner = np.float32(0)
        for k in range(values.shape[0]):
            inner += (values[k] - np.float32(c)) * (values[k] - np.float32(c))
        total += inner
    return total


def arithmetic_rate(kernel: Callable[[np.ndarray, int], float]) -> float:
    """Operations a second, three an element."""
    values, times = np.ones(2048, np.float32), 50_000
    return 3 * len(values) * times / best_seconds(lambda: kernel(values, times))


def gemm_rate(size: int = 768) -> float:
    """Operations a second of a product of single-precision matrices on one thread."""
    import torch

    torch.set_num_threads(1)
    a = torch.rand(size, size)
    return 2 * size**3 / best_seconds(lambda: a @ a)
