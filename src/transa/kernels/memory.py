"""Arrays kept well apart from each other.

Before a vectorised loop LLVM looks how far the arrays it writes are from those it reads; closer
than a few vectors, it takes the scalar loop, whose sums round differently. Small arrays that the
allocator happens to put side by side would so make a run differ from the next in the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

# Bytes: more than any vector unit takes in one turn of an unrolled loop.
_GAP = 1024
_CACHE_LINE = 64


def apart(shape: int | tuple[int, ...], dtype: DTypeLike = np.float32) -> NDArray[Any]:
    """Zeros on a cache line of their own, with a gap on either side."""
    item = np.dtype(dtype)
    size = int(np.prod(shape)) * item.itemsize
    memory = np.zeros(size + 2 * _GAP + _CACHE_LINE, dtype=np.uint8)
    first = _GAP + -(memory.ctypes.data + _GAP) % _CACHE_LINE
    return memory[first : first + size].view(item).reshape(shape)
