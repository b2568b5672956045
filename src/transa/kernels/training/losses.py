"""Losses over a triple's energy f and its negatives' f′ⱼ, with their derivatives."""

from __future__ import annotations

import numpy as np

from transa.kernels.exponentials import exp_of_negative, sigmoid, softplus
from transa.kernels.jit import inline

HINGE, SOFTPLUS, LOGISTIC = 0, 1, 2
_ZERO, _ONE = np.float32(0), np.float32(1)


@inline
def weigh(energies: np.ndarray, adversarial: np.float32, weights: np.ndarray, count: int) -> None:
    """Weights of the negatives: equal, or a softmax of their scores (Sun et al. 2019)."""
    if adversarial == _ZERO or count == 1:
        for j in range(count):
            weights[j] = _ONE / np.float32(count)
        return
    lowest = energies[0]
    for j in range(1, count):
        lowest = min(lowest, energies[j])
    total = _ZERO
    for j in range(count):
        weights[j] = exp_of_negative(adversarial * (lowest - energies[j]))
        total += weights[j]
    for j in range(count):
        weights[j] /= total


@inline
def differentiate(
    loss: int,
    positive: np.float32,
    energies: np.ndarray,
    weights: np.ndarray,
    margin: np.float32,
    gamma: np.float32,
    slopes: np.ndarray,
    count: int,
) -> tuple[np.float32, np.float32]:
    """The loss and dL/df; `slopes` receives dL/df′ⱼ."""
    value, slope = _ZERO, _ZERO
    if loss == LOGISTIC:
        value = softplus(positive - gamma + margin)
        slope = sigmoid(positive - gamma + margin)
        for j in range(count):
            value += weights[j] * softplus(gamma - energies[j])
            slopes[j] = -weights[j] * sigmoid(gamma - energies[j])
        return value, slope
    for j in range(count):
        violation = positive + margin - energies[j]
        if loss == HINGE:
            inside = _ONE if violation > _ZERO else _ZERO
            value += weights[j] * violation * inside
        else:
            inside = sigmoid(violation)
            value += weights[j] * softplus(violation)
        slope += weights[j] * inside
        slopes[j] = -weights[j] * inside
    return value, slope
