"""Distances between rows of tables, in the norms of the energies.

Rows are named by table and number: a view of a row would cost two atomic operations on a counter
that all threads share.
"""

from __future__ import annotations

import math

import numpy as np

from transa.kernels.jit import inline

L1, L2, L2SQ = 0, 1, 2
NORM_CODES = {"l1": L1, "l2": L2, "l2sq": L2SQ}
_ZERO = np.float32(0)


@inline
def distance_to_row(q: np.ndarray, rows: np.ndarray, row: int, norm: int, dim: int) -> float:
    """‖q − rows[row]‖, of vectors of length `dim`."""
    total = _ZERO
    if norm == L1:
        for k in range(dim):
            total += abs(q[k] - rows[row, k])
        return total
    for k in range(dim):
        difference = q[k] - rows[row, k]
        total += difference * difference
    return total if norm == L2SQ else math.sqrt(total)


@inline
def distance_of_rows(
    rows: np.ndarray, a: int, others: np.ndarray, b: int, norm: int, dim: int
) -> float:
    """‖rows[a] − others[b]‖, of vectors of length `dim`."""
    total = _ZERO
    if norm == L1:
        for k in range(dim):
            total += abs(rows[a, k] - others[b, k])
        return total
    for k in range(dim):
        difference = rows[a, k] - others[b, k]
        total += difference * difference
    return total if norm == L2SQ else math.sqrt(total)
