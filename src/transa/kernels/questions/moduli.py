"""Σₖ |qₖ − eₖ| in complex numbers, of many questions and candidates; no (n, m, d) is made.

The second half of a row are imaginary parts.
"""

from __future__ import annotations

import math

import numpy as np

from transa.kernels.jit import lean_kernel, place

_ONE = np.float32(1)
# Under the root, so that its derivative at 0 is 0.
_LEAST = np.float32(1e-30)
# A candidate whose share of the loss is less does not move: of a trained model that is most.
_SLIGHT = np.float32(1e-6)
# Candidates that all questions meet before the next ones: their rows stay in the inner cache.
_TILE = 32


@lean_kernel
def score_moduli(points: np.ndarray, rows: np.ndarray, scores: np.ndarray) -> None:
    """Scores (n, m), minus the distances of n points from m rows."""
    half = place(points.shape[1] // 2)
    for first in range(0, len(rows), _TILE):
        last = min(first + _TILE, len(rows))
        for i in range(len(points)):
            q = points[i]
            for j in range(first, last):
                e = rows[j]
                total = np.float32(0)
                for k in range(half):
                    real, imaginary = q[k] - e[k], q[half + k] - e[half + k]
                    total += np.float32(math.sqrt(real * real + imaginary * imaginary + _LEAST))
                scores[i, j] = -total


@lean_kernel
def differentiate_moduli(
    points: np.ndarray,
    rows: np.ndarray,
    slopes: np.ndarray,
    by_points: np.ndarray,
    by_rows: np.ndarray,
) -> None:
    """Add the derivatives by points and rows, given those by the scores (n, m)."""
    half = place(points.shape[1] // 2)
    for first in range(0, len(rows), _TILE):
        last = min(first + _TILE, len(rows))
        for i in range(len(points)):
            q, by_q = points[i], by_points[i]
            for j in range(first, last):
                slope = slopes[i, j]
                if abs(slope) < _SLIGHT:
                    continue
                e, by_e = rows[j], by_rows[j]
                for k in range(half):
                    real, imaginary = q[k] - e[k], q[half + k] - e[half + k]
                    square = real * real + imaginary * imaginary + _LEAST
                    pull = slope / np.float32(math.sqrt(square))
                    by_e[k] += pull * real
                    by_e[half + k] += pull * imaginary
                    by_q[k] -= pull * real
                    by_q[half + k] -= pull * imaginary
