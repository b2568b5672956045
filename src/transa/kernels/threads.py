"""Spans of work over threads.

Kernels release the GIL, so plain threads run them side by side: no thread pool of Numba's own,
whose layers differ between machines.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")


def available_threads() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@lru_cache(maxsize=4)
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="transa")


def over_spans(work: Callable[[int, int, int], T], n: int, threads: int) -> list[T]:
    """Call ``work(span, start, stop)`` for `threads` even spans of range(n); results in order."""
    bounds = [n * i // threads for i in range(threads + 1)]
    spans = list(zip(range(threads), bounds[:-1], bounds[1:], strict=True))
    if threads == 1:
        return [work(*spans[0])]
    return list(_pool(threads).map(lambda span: work(*span), spans))
