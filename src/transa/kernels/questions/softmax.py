"""Cross-entropy of a question's answers among its candidates, in place."""

from __future__ import annotations

import math

import numpy as np

from transa.kernels.exponentials import exp_of_negative
from transa.kernels.jit import lean_kernel, place

_ZERO, _ONE = np.float32(0), np.float32(1)


@lean_kernel
def cross_entropies(scores: np.ndarray, starts: np.ndarray, answers: np.ndarray) -> float:
    """Σ −log softmax(scores)[answer]; the scores become its derivative by them.

    Args:
        scores: float32 (n, m), a row a question; minus the energies of its candidates.
        starts: int64 (n + 1,), where in `answers` those of each question begin.
        answers: int64, columns, grouped by question; one that is named twice counts twice.
    """
    total = 0.0
    columns = place(scores.shape[1])
    for question in range(len(scores)):
        row = scores[question]
        begin, end = starts[question], starts[question + 1]
        largest = row[0]
        for j in range(columns):
            largest = max(largest, row[j])
        for k in range(begin, end):
            total -= row[answers[k]] - largest
        mass = _ZERO
        for j in range(columns):
            e = exp_of_negative(row[j] - largest)
            row[j] = e
            mass += e
        total += (end - begin) * math.log(mass)
        share = np.float32(end - begin) / mass
        for j in range(columns):
            row[j] *= share
        for k in range(begin, end):
            row[answers[k]] -= _ONE
    return total


@lean_kernel
def held_cross_entropies(
    scores: np.ndarray,
    starts: np.ndarray,
    answers: np.ndarray,
    margins: np.ndarray,
    room: np.ndarray,
) -> float:
    """The same where each answer is held to a margin: Σ −log (eᵃ⁻ᴹ / (Σ eˢ − eᵃ + eᵃ⁻ᴹ)).

    Masses are in double precision: without a likely answer there may be next to nothing left.

    Args:
        scores: as above.
        starts: as above.
        answers: as above.
        margins: float32, of each answer.
        room: float64, as long.
    """
    total = 0.0
    columns = place(scores.shape[1])
    for question in range(len(scores)):
        row = scores[question]
        begin, end = starts[question], starts[question + 1]
        largest = row[0]
        for j in range(columns):
            largest = max(largest, row[j])
        for k in range(begin, end):
            total -= row[answers[k]] - largest
        mass = 0.0
        for j in range(columns):
            e = exp_of_negative(row[j] - largest)
            row[j] = e
            mass += np.float64(e)
        # Each answer has a sum of its own below; what is not an answer is in all of them.
        share = 0.0
        for k in range(begin, end):
            e, margin = np.float64(row[answers[k]]), np.float64(margins[k])
            lost = -e * math.expm1(-margin)
            total += margin + math.log(mass - lost)
            share += 1 / (mass - lost)
            room[k] = 1 + lost / (mass - lost)
        for k in range(begin, end):
            # Before all are multiplied by the share, where it is small beside nothing.
            row[answers[k]] = np.float32(np.float64(row[answers[k]]) - room[k] / share)
        for j in range(columns):
            row[j] = np.float32(np.float64(row[j]) * share)
    return total
