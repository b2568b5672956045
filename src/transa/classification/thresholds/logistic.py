"""Logistic regression by Newton's method: a handful of weights, fitted to the last digit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Newton's method converges in a few steps; these bound it.
_MOST_STEPS, _MOST_HALVINGS, _TOLERANCE = 100, 30, 1e-10


def fit_logistic(
    inputs: Floats,
    targets: Floats,
    weights: Floats,
    ridge: Floats,
    centre: Floats | float = 0.0,
) -> Floats:
    """The weights w that minimise −log likelihood + ½ Σ ridge · (w − centre)².

    Args:
        inputs: (n, k); all of order 1, lest rounding spoil the steps.
        targets: (n,), between 0 and 1.
        weights: (k,) to begin from.
        ridge: (k,), positive, so that there is one solution whatever the inputs.
        centre: (k,), what the weights are drawn to.
    """
    for _ in range(_MOST_STEPS):
        p = sigmoid(inputs @ weights)
        gradient = inputs.T @ (p - targets) + ridge * (weights - centre)
        if np.abs(gradient).max() <= _TOLERANCE * len(targets):
            break
        curvature = (inputs * (p * (1 - p))[:, None]).T @ inputs + np.diag(ridge)
        step = np.linalg.solve(curvature, gradient)
        weights = _shortened(weights, step, inputs, targets, ridge, centre)
    return weights


def sigmoid(logits: Floats) -> Floats:
    """1 / (1 + e⁻ˣ), as a tanh, which does not overflow."""
    p: Floats = 0.5 * (1 + np.tanh(0.5 * logits))
    return p


def _shortened(
    weights: Floats,
    step: NDArray[np.floating],
    inputs: Floats,
    targets: Floats,
    ridge: Floats,
    centre: Floats | float,
) -> Floats:
    """Newton's step, halved until the loss falls."""
    before = _loss(weights, inputs, targets, ridge, centre)
    for halving in range(_MOST_HALVINGS):
        tried: Floats = weights - step / 2**halving
        if _loss(tried, inputs, targets, ridge, centre) <= before:
            return tried
    return weights


def _loss(
    weights: Floats, inputs: Floats, targets: Floats, ridge: Floats, centre: Floats | float
) -> float:
    logits = inputs @ weights
    likelihood = (np.logaddexp(0, logits) - targets * logits).sum()
    return float(likelihood + 0.5 * (ridge * (weights - centre) ** 2).sum())
