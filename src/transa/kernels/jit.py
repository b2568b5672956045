"""How kernels are compiled: once, cached on disk, without the GIL."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
T = TypeVar("T")

# Sums may be reordered (that is what lets them vectorise), but NaN and infinity keep their meaning:
# the loop looks for them.
_FASTMATH = {"reassoc", "contract", "arcp", "nsz"}


def kernel(function: Callable[P, T]) -> Callable[P, T]:
    """Compile a kernel; division by zero gives infinity, as in C."""
    compiled = numba.njit(cache=True, nogil=True, fastmath=_FASTMATH, error_model="numpy")(function)
    return cast(Callable[P, T], compiled)


def inline(function: Callable[P, T]) -> Callable[P, T]:
    """Compile a piece of a kernel that LLVM is to inline."""
    compiled = numba.njit(nogil=True, fastmath=_FASTMATH, error_model="numpy")(function)
    return cast(Callable[P, T], compiled)


def exact_kernel(function: Callable[P, T]) -> Callable[P, T]:
    """Compile a kernel whose sums keep their written order: equal inputs give equal bits anywhere."""
    compiled = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    return cast(Callable[P, T], compiled)


def exact_inline(function: Callable[P, T]) -> Callable[P, T]:
    """Compile a piece of an exact kernel that LLVM is to inline."""
    compiled = numba.njit(nogil=True, error_model="numpy")(function)
    return cast(Callable[P, T], compiled)
