"""e⁻ˣ and log(1 + x) in single precision, as arithmetic that vectorises; the C library's does not.

Both are right to a few units in the last place. A step with 16 negatives takes half a hundred of
them, which cost as much as all of its distances.
"""

from __future__ import annotations

import numpy as np

from transa.kernels.jit import inline

_ZERO, _HALF, _ONE, _TWO = np.float32(0), np.float32(0.5), np.float32(1), np.float32(2)

_LOG2_E, _LN_2 = np.float32(1.44269504), np.float32(0.69314718)
# Below this e^x is no normal float.
_LEAST = np.float32(-87.0)
_EXPONENT_BIAS, _MANTISSA_BITS = np.int32(127), np.int32(23)
# Taylor's 1/k!, enough for |x| <= ln 2 / 2.
_E2, _E3, _E4 = np.float32(1 / 2), np.float32(1 / 6), np.float32(1 / 24)
_E5, _E6 = np.float32(1 / 120), np.float32(1 / 720)
# Of the series of the inverse hyperbolic tangent.
_T3, _T5, _T7 = np.float32(1 / 3), np.float32(1 / 5), np.float32(1 / 7)
_T9, _T11 = np.float32(1 / 9), np.float32(1 / 11)


@inline
def exp_of_negative(x: np.float32) -> np.float32:
    """e^x for x <= 0, as 2ⁿ e^y with |y| at most ln 2 / 2."""
    x = max(x, _LEAST)
    # Truncation rounds towards zero: of x <= 0 it is the nearest integer once a half is taken off.
    n = np.int32(x * _LOG2_E - _HALF)
    y = x - np.float32(n) * _LN_2
    series = _ONE + y * (_ONE + y * (_E2 + y * (_E3 + y * (_E4 + y * (_E5 + y * _E6)))))
    return series * np.int32((n + _EXPONENT_BIAS) << _MANTISSA_BITS).view(np.float32)


@inline
def log1p_of_fraction(x: np.float32) -> np.float32:
    """log(1 + x) for 0 <= x <= 1, as 2 artanh(x / (2 + x))."""
    s = x / (_TWO + x)
    q = s * s
    series = _ONE + q * (_T3 + q * (_T5 + q * (_T7 + q * (_T9 + q * _T11))))
    return _TWO * s * series


@inline
def softplus(x: np.float32) -> np.float32:
    """log(1 + eˣ), without overflow."""
    return max(x, _ZERO) + log1p_of_fraction(exp_of_negative(-abs(x)))


@inline
def sigmoid(x: np.float32) -> np.float32:
    """1 / (1 + e⁻ˣ), without overflow."""
    e = exp_of_negative(-abs(x))
    return (_ONE if x >= _ZERO else e) / (_ONE + e)
