"""Exponentials in single precision, against the C library's in double precision."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transa.kernels.exponentials import exp_of_negative, log1p_of_fraction, sigmoid, softplus

# A few units in the last place of a float32.
CLOSE = 1e-6


def floats(least, most):
    return st.floats(least, most, width=32)


@given(floats(-80, 0))
def test_exp(x):
    assert exp_of_negative(np.float32(x)) == pytest.approx(math.exp(x), rel=CLOSE)


@given(floats(0, 1))
def test_log1p(x):
    assert log1p_of_fraction(np.float32(x)) == pytest.approx(math.log1p(x), rel=CLOSE)


@given(floats(-80, 80))
def test_softplus_and_sigmoid(x):
    assert softplus(np.float32(x)) == pytest.approx(np.logaddexp(0, x), rel=CLOSE)
    assert sigmoid(np.float32(x)) == pytest.approx(1 / (1 + math.exp(-x)), rel=CLOSE)


def test_what_is_beyond_bounds_stays_there():
    assert softplus(np.float32(1e30)) == pytest.approx(1e30)
    assert 0 <= softplus(np.float32(-1e30)) < 1e-37
    assert sigmoid(np.float32(1e30)) == 1
    assert math.isinf(softplus(np.float32(np.inf)))
    assert math.isnan(softplus(np.float32(np.nan)))
