"""Spans of work over threads.

Kernels release the GIL, so plain threads run them side by side: no thread pool of Numba's own,
whose layers differ between machines.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache
from typing import TypeVar

from transa.errors import ConfigError

T = TypeVar("T")


def available_threads() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def thread_count(asked: int) -> int:
    """As many threads as are asked for; 0 means all cores."""
    if not isinstance(asked, int) or asked < 0:
        raise ConfigError(f"threads is not negative and a whole number, found {asked!r}")
    return asked or available_threads()


@lru_cache(maxsize=4)
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="transa")


if hasattr(os, "register_at_fork"):
    # A forked child has the pools but none of their threads, and would wait for them for ever.
    os.register_at_fork(after_in_child=_pool.cache_clear)


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
    left = deque(range(count))
    results: dict[int, T] = {}

    def work_on() -> None:
        while left:
            try:
                span = left.popleft()
            except IndexError:
                return
            results[span] = work(span, n * span // count, n * (span + 1) // count)

    # The calling thread works too: to wake one thread less saves a millisecond, the time of all
    # margins of a small graph.
    others = [_pool(threads - 1).submit(work_on) for _ in range(threads - 1)]
    try:
        work_on()
    finally:
        wait(others)
    for other in others:
        other.result()
    return [results[span] for span in range(count)]
