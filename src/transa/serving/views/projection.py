"""A map of the vectors: their two principal directions, in bounded time and memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Rows that the directions are found from; their products take a fraction of a second.
_SAMPLE = 1024


def principal_plane(
    vectors: NDArray[np.float32], rows: NDArray[np.integer], seed: int = 0
) -> NDArray[np.float32]:
    """The chosen rows in the plane in which a sample of all rows lies widest, within −1 .. 1.

    With X the centred sample, the directions are Xᵀu of the two leading eigenvectors u of X Xᵀ,
    whatever the length of the vectors.

    Args:
        vectors: one a row.
        rows: which of them to place.
        seed: of the sample.

    Returns:
        An array (rows, 2).
    """
    rng = np.random.default_rng(seed)
    n = len(vectors)
    sampled = rng.choice(n, _SAMPLE, replace=False) if n > _SAMPLE else np.arange(n)
    sample = np.asarray(vectors[np.sort(sampled)], dtype=np.float64)
    centre = sample.mean(axis=0)
    sample -= centre
    _, leading = np.linalg.eigh(sample @ sample.T)
    directions = (sample.T @ leading[:, ::-1][:, :2]).T
    placed = np.zeros((len(rows), 2), dtype=np.float64)
    for axis, direction in enumerate(directions):
        length = np.linalg.norm(direction)
        if length > 0:
            placed[:, axis] = (vectors[rows] - centre) @ (direction / length)
    reach = np.abs(placed).max(initial=0.0)
    return (placed / reach if reach > 0 else placed).astype(np.float32)
