"""A small random generator for kernels: SplitMix64 (Steele, Lea & Flood 2014).

Its state is one integer, so that a generator can be made for any (seed, epoch, block, thread) and
nothing need be saved to resume.
"""

from __future__ import annotations

import numpy as np

from transa.kernels.jit import inline

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_INVERSE_2_53 = 1.0 / (1 << 53)


@inline
def next_uint64(state: np.ndarray) -> np.uint64:
    """The next 64 random bits; `state` is a uint64 array of one element, advanced in place."""
    state[0] += _GOLDEN
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


@inline
def below_by(random: np.uint64, n: int) -> int:
    """An integer in 0..n-1 from the upper 32 bits, without a division; n is below 2³²."""
    return np.int64(((random >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@inline
def below(state: np.ndarray, n: int) -> int:
    """A random integer in 0..n-1."""
    return below_by(next_uint64(state), n)


@inline
def uniform(state: np.ndarray) -> float:
    """A random number in [0, 1)."""
    return np.float64(next_uint64(state) >> np.uint64(11)) * _INVERSE_2_53


def generator_state(*keys: int) -> np.ndarray:
    """The state of an independent generator for these keys (seed, epoch, block, ...).

    Zeros at the end do not count: (7, 0) is (7,).
    """
    words = np.random.SeedSequence(keys).generate_state(1, dtype=np.uint64)
    return np.ascontiguousarray(words)
