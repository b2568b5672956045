"""What a training step is told, and the room that it works in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from transa.kernels.memory import apart
from transa.kernels.training.sampling import empty_pool


class Rule(NamedTuple):
    """What a step does, as numbers: the constants of the sibling modules.

    A kernel that knows the first six when it is compiled has loops of known length and no choices.
    `soft` weighs the soft constraints of a model that has any.
    """

    dim: int
    negatives: int
    norm: int
    loss: int
    optimiser: int
    ball: bool
    rate: np.float32
    adversarial: np.float32
    gamma: np.float32
    soft: np.float32


class Scratch(NamedTuple):
    """Room for the steps of one thread."""

    q: np.ndarray
    q_gradient: np.ndarray
    energies: np.ndarray
    weights: np.ndarray
    slopes: np.ndarray
    steps: np.ndarray
    pool: np.ndarray
    negatives: np.ndarray
    sides: np.ndarray


def scratch(dim: int, k: int, block_size: int = 0) -> Scratch:
    """Fresh room for vectors of `dim`, `k` negatives a triple, and blocks of triples."""
    return Scratch(
        q=apart(dim),
        q_gradient=apart(dim),
        energies=apart(k),
        weights=apart(k),
        slopes=apart(k),
        steps=apart(k),
        pool=empty_pool(k),
        negatives=apart((block_size, k), np.int32),
        sides=apart(block_size, np.int8),
    )
