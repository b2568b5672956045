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


def over_spans(
    work: Callable[[int, int, int], T], n: int, threads: int, spans_each: int = 1
) -> list[T]:
    """Call ``work(span, start, stop)`` for even spans of range(n); results in order.

    Several spans for each thread let one that is held up leave work to the others; one thread has
    one span, whatever is asked for.
    """
    if threads == 1:
        return [work(0, 0, n)]
    count = threads * spans_each
    bounds = [n * i // count for i in range(count + 1)]
    spans = list(zip(range(count), bounds[:-1], bounds[1:], strict=True))
    return list(_pool(threads).map(lambda span: work(*span), spans))
