from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from transa.kernels.memory import apart


@pytest.mark.parametrize("shape", [0, 3, (5, 7)])
@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.int64])
def test_arrays_are_zero_aligned_and_apart(shape, dtype):
    arrays = [apart(shape, dtype) for _ in range(20)]
    for array in arrays:
        assert array.shape == np.zeros(shape).shape
        assert array.dtype == dtype
        assert array.flags.c_contiguous
        assert array.flags.writeable
        assert not array.any()
        assert array.ctypes.data % 64 == 0 or array.size == 0
    spans = sorted((array.ctypes.data, array.ctypes.data + array.nbytes) for array in arrays)
    for (_, end), (start, _) in pairwise(spans):
        assert start - end >= 1024
