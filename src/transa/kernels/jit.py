"""How kernels are compiled: once, cached on disk, without the GIL."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
from numba.core.compiler_lock import global_compiler_lock

from transa.files.cache import cache_folder

P = ParamSpec("P")
T = TypeVar("T")

# Sums may be reordered (that is what lets them vectorise), but NaN and infinity keep their meaning:
# the loop looks for them.
_FASTMATH = {"reassoc", "contract", "arcp", "nsz"}


# Of a signed index Numba asks whether it counts from the end. Loops that do little else take half
# the time with an unsigned one, for this question keeps LLVM from vectorising them.
place = np.uint64


def compiling() -> bool:
    """Whether some thread is compiling a kernel, which no request to stop can cut short."""
    # Numba itself tells only of the thread that asks.
    if global_compiler_lock.is_locked():  # type: ignore[no-untyped-call]
        return True
    lock = global_compiler_lock._lock
    is_free = lock.acquire(blocking=False)
    if is_free:
        lock.release()
    return not is_free


def kernel(function: Callable[P, T]) -> Callable[P, T]:
    """Compile a kernel; division by zero gives infinity, as in C."""
    return _cached(function, fastmath=_FASTMATH)


def lean_kernel(function: Callable[P, T]) -> Callable[P, T]:
    """Compile a kernel that allocates nothing, and so need not count references to its arrays.

    Counting is atomic, on counters that all threads share: in a step of the training loop it took
    five times as long as the arithmetic.
    """
    return _cached(function, fastmath=_FASTMATH, _nrt=False)


def inline(function: Callable[P, T]) -> Callable[P, T]:
    """Compile a piece of a kernel that LLVM must inline: a call would copy every array's header.

    It allocates nothing either.
    """
    return _compiled(function, forceinline=True, fastmath=_FASTMATH, _nrt=False)


def piece(function: Callable[P, T]) -> Callable[P, T]:
    """Compile a piece of a kernel that is rarely needed, and better called than inlined."""
    return _compiled(function, fastmath=_FASTMATH, _nrt=False)


def exact_kernel(function: Callable[P, T]) -> Callable[P, T]:
    """Compile a kernel whose sums keep their written order: equal inputs give equal bits."""
    return _cached(function, fastmath=False)


def exact_inline(function: Callable[P, T]) -> Callable[P, T]:
    """Compile a piece of an exact kernel that LLVM is to inline."""
    return _compiled(function, nogil=True)


def _cached(function: Callable[P, T], **options: Any) -> Callable[P, T]:  # noqa: ANN401
    with _cache_at(_cache_folder()):
        return _compiled(function, cache=True, nogil=True, **options)


def _compiled(function: Callable[P, T], **options: Any) -> Callable[P, T]:  # noqa: ANN401
    compile_: Any = numba.njit
    return cast(Callable[P, T], compile_(error_model="numpy", **options)(function))


@contextmanager
def _cache_at(folder: Path) -> Iterator[None]:
    """Numba looks up where to cache when it is handed a function; others keep their own place."""
    settings: Any = numba.config
    before = settings.CACHE_DIR
    settings.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        settings.CACHE_DIR = before


@cache
def _cache_folder() -> Path:
    """A folder for this very source: Numba itself would not notice a change in a piece inlined."""
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(source.read_bytes())
    return cache_folder() / "kernels" / digest.hexdigest()[:16]


@contextmanager
def told_of_compiling(tell: Callable[[bool], None]) -> Iterator[None]:
    """Have `tell` called, with True, as a kernel that is in no cache begins to be compiled.

    And with False as it is done. Of a kernel in a kernel it hears nothing.
    """
    from numba.core import event

    class Listener(event.Listener):
        depth = 0

        def on_start(self, _: object) -> None:
            self.depth += 1
            if self.depth == 1:
                tell(True)

        def on_end(self, _: object) -> None:
            self.depth -= 1
            if self.depth == 0:
                tell(False)

    with event.install_listener("numba:compile", Listener()):
        yield
