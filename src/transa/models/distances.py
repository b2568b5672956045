"""How far apart vectors are, in the norm of an energy; in NumPy, and in bounded memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from transa.models.energy import Norm, lengths

_CHUNK = 1 << 14
"""Rows at a time: at 200 dimensions their differences fill some 13 MB."""


def distances_from(index: int, vectors: NDArray[Any], norm: Norm) -> NDArray[Any]:
    """‖v − vectors[index]‖ of every row v."""
    found = np.empty(len(vectors), dtype=vectors.dtype)
    for start in range(0, len(vectors), _CHUNK):
        rows = slice(start, start + _CHUNK)
        found[rows] = lengths(vectors[rows] - vectors[index], norm)
    return found


def distances_to(
    index: int, rows: NDArray[np.integer], vectors: NDArray[Any], norm: Norm
) -> NDArray[Any]:
    """‖v − vectors[index]‖ of the rows named."""
    found = np.empty(len(rows), dtype=vectors.dtype)
    for start in range(0, len(rows), _CHUNK):
        some = slice(start, start + _CHUNK)
        found[some] = lengths(vectors[rows[some]] - vectors[index], norm)
    return found


def nearest(values: NDArray[np.floating], k: int) -> NDArray[np.intp]:
    """The positions of the k smallest values, smallest first; ties by position."""
    if k < len(values):
        # Everything up to the k-th value, so that ties at the cut are decided by position too.
        candidates = np.flatnonzero(values <= np.partition(values, k - 1)[k - 1])
    else:
        candidates = np.arange(len(values))
    return candidates[np.argsort(values[candidates], kind="stable")][:k]
