"""Sorting keys with what they belong to, against NumPy's sort."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from transa.kernels.margins.ordering import put_in_order, room_for_ordering

NUMBERS = st.floats(0, 1e6, width=32)


def in_order(keys):
    """The keys as they come out, and which they were."""
    room = room_for_ordering(len(keys), keys.dtype)
    room.keys[:], room.items[:] = keys, np.arange(len(keys))
    put_in_order(room, len(keys))
    return room.keys, room.items


def check(keys):
    found, items = in_order(keys)
    np.testing.assert_array_equal(found, np.sort(keys))
    np.testing.assert_array_equal(keys[items], found)
    np.testing.assert_array_equal(np.sort(items), np.arange(len(keys)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(keys=arrays.arrays(np.float32, st.integers(1, 120), elements=NUMBERS))
def test_any_keys(keys, dtype):
    check(keys.astype(dtype))


@pytest.mark.parametrize("n", [2, 16, 17, 100, 5000])
@pytest.mark.parametrize(
    "shape",
    [
        lambda x: x,
        lambda x: np.exp(20 * x),
        lambda x: np.round(4 * x),
        lambda x: np.where(np.arange(len(x)) == 1, 1e9, x),
        lambda x: 0 * x,
        lambda x: x * 1e-44,
        lambda x: -np.sort(-x),
        lambda x: np.where(x > 0.9, np.inf, x),
    ],
    ids=[
        "even", "skew", "ties", "one far away", "all alike", "hardly apart", "the wrong way", "inf",
    ],
)  # fmt: skip
def test_keys_however_they_are_spread(shape, n):
    check(shape(np.random.default_rng(n).random(n)).astype(np.float32))


@pytest.mark.parametrize("n", [16, 100])
@pytest.mark.parametrize("where", [0, 7, -1])
def test_what_is_no_number_does_no_harm(n, where):
    keys = np.random.default_rng(n).random(n).astype(np.float32)
    keys[where] = np.nan
    found, items = in_order(keys)
    np.testing.assert_array_equal(np.sort(items), np.arange(n))
    np.testing.assert_array_equal(keys[items], found)
