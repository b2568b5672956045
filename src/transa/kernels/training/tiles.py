"""Queries against candidates that share a tile: energies of all pairs, and both sides' gradients.

Each loop reads a row once for several of the other side, and goes over rows that stay in the first
cache: a pair costs arithmetic, not memory.
"""

from __future__ import annotations

import math

import numpy as np

from transa.kernels.distances import L1, L2
from transa.kernels.jit import inline

# Rows of one side that are taken together, and rows of the other that stay in the first cache.
GROUP, NEAR = 8, 16
# Floats in a vector: a tile's rows are padded to whole ones.
VECTOR = 16
_ZERO = np.float32(0)


def padded(size: int, to: int = VECTOR) -> int:
    """The next multiple."""
    return -(-size // to) * to


@inline
def measure(
    queries: np.ndarray, tile: np.ndarray, n: int, k: int, norm: int, width: int, out: np.ndarray
) -> None:
    """Fill out[:n, :k] with the energies of n queries and k rows; n is a multiple of 4."""
    for near in range(0, k, NEAR):
        for b in range(0, n, 4):
            for j in range(near, min(near + NEAR, k)):
                s0, s1, s2, s3 = _ZERO, _ZERO, _ZERO, _ZERO
                if norm == L1:
                    for x in range(width):
                        s0 += abs(queries[b, x] - tile[j, x])
                        s1 += abs(queries[b + 1, x] - tile[j, x])
                        s2 += abs(queries[b + 2, x] - tile[j, x])
                        s3 += abs(queries[b + 3, x] - tile[j, x])
                else:
                    for x in range(width):
                        s0 += (queries[b, x] - tile[j, x]) ** 2
                        s1 += (queries[b + 1, x] - tile[j, x]) ** 2
                        s2 += (queries[b + 2, x] - tile[j, x]) ** 2
                        s3 += (queries[b + 3, x] - tile[j, x]) ** 2
                if norm == L2:
                    s0, s1 = np.float32(math.sqrt(s0)), np.float32(math.sqrt(s1))
                    s2, s3 = np.float32(math.sqrt(s2)), np.float32(math.sqrt(s3))
                out[b, j], out[b + 1, j], out[b + 2, j], out[b + 3, j] = s0, s1, s2, s3


# Under L1, the sum over j of s_j sign(q − c_j) is the sum of all s_j, less twice those of the c_j
# above q; under L2, the sum of f_j (q − c_j) is (sum of f_j) q less the sum of f_j c_j. Either way
# `weights`, −2 s_j or −f_j, is what one row adds to the other.


@inline
def pull_queries(
    queries: np.ndarray,
    tile: np.ndarray,
    weights: np.ndarray,
    n: int,
    k: int,
    norm: int,
    width: int,
    gradients: np.ndarray,
) -> None:
    """Set gradients[:n] to those of n queries; k is a multiple of GROUP."""
    for b in range(n):
        total = _ZERO
        for j in range(k):
            total -= weights[b, j]
        for x in range(width):
            gradients[b, x] = np.float32(0.5) * total if norm == L1 else total * queries[b, x]
    for near in range(0, k, NEAR):
        for b in range(n):
            for j in range(near, min(near + NEAR, k), GROUP):
                w0, w1, w2, w3 = (
                    weights[b, j],
                    weights[b, j + 1],
                    weights[b, j + 2],
                    weights[b, j + 3],
                )
                w4, w5 = weights[b, j + 4], weights[b, j + 5]
                w6, w7 = weights[b, j + 6], weights[b, j + 7]
                for x in range(width):
                    s = gradients[b, x]
                    if norm == L1:
                        q = queries[b, x]
                        s = s + w0 if q < tile[j, x] else s
                        s = s + w1 if q < tile[j + 1, x] else s
                        s = s + w2 if q < tile[j + 2, x] else s
                        s = s + w3 if q < tile[j + 3, x] else s
                        s = s + w4 if q < tile[j + 4, x] else s
                        s = s + w5 if q < tile[j + 5, x] else s
                        s = s + w6 if q < tile[j + 6, x] else s
                        s = s + w7 if q < tile[j + 7, x] else s
                    else:
                        s += w0 * tile[j, x] + w1 * tile[j + 1, x]
                        s += w2 * tile[j + 2, x] + w3 * tile[j + 3, x]
                        s += w4 * tile[j + 4, x] + w5 * tile[j + 5, x]
                        s += w6 * tile[j + 6, x] + w7 * tile[j + 7, x]
                    gradients[b, x] = s


@inline
def pull_tile(
    queries: np.ndarray,
    tile: np.ndarray,
    weights: np.ndarray,
    n: int,
    k: int,
    norm: int,
    width: int,
    gradients: np.ndarray,
    totals: np.ndarray,
) -> None:
    """Set gradients[:k] to those of the tile's first k rows; n is a multiple of GROUP."""
    for j in range(k):
        totals[j] = _ZERO
    for b in range(n):
        for j in range(k):
            totals[j] -= weights[b, j]
    for j in range(k):
        total = totals[j]
        for x in range(width):
            gradients[j, x] = np.float32(-0.5) * total if norm == L1 else total * tile[j, x]
    for near in range(0, n, NEAR):
        for j in range(k):
            for b in range(near, min(near + NEAR, n), GROUP):
                w0, w1, w2, w3 = (
                    weights[b, j],
                    weights[b + 1, j],
                    weights[b + 2, j],
                    weights[b + 3, j],
                )
                w4, w5 = weights[b + 4, j], weights[b + 5, j]
                w6, w7 = weights[b + 6, j], weights[b + 7, j]
                for x in range(width):
                    s = gradients[j, x]
                    if norm == L1:
                        c = tile[j, x]
                        s = s - w0 if queries[b, x] < c else s
                        s = s - w1 if queries[b + 1, x] < c else s
                        s = s - w2 if queries[b + 2, x] < c else s
                        s = s - w3 if queries[b + 3, x] < c else s
                        s = s - w4 if queries[b + 4, x] < c else s
                        s = s - w5 if queries[b + 5, x] < c else s
                        s = s - w6 if queries[b + 6, x] < c else s
                        s = s - w7 if queries[b + 7, x] < c else s
                    else:
                        s += w0 * queries[b, x] + w1 * queries[b + 1, x]
                        s += w2 * queries[b + 2, x] + w3 * queries[b + 3, x]
                        s += w4 * queries[b + 4, x] + w5 * queries[b + 5, x]
                        s += w6 * queries[b + 6, x] + w7 * queries[b + 7, x]
                    gradients[j, x] = s
