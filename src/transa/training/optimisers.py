"""Optimiser state, and the updates of the autograd engine: the oracle of `kernels.optimisers`."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from transa.kernels.memory import apart
from transa.kernels.training.optimisers import (
    ADAGRAD_EPSILON,
    ADAM_BETA_1,
    ADAM_BETA_2,
    ADAM_EPSILON,
)
from transa.models.energy import Parameters
from transa.models.tensors import Tensor
from transa.settings.recipe import Optimiser

State: TypeAlias = dict[str, NDArray[np.float32]]
"""Arrays named ``<table>.<what>``: sums (Adagrad); m, v, counts (Adam)."""


def fresh_state(parameters: Parameters, optimiser: Optimiser) -> State:
    """What the optimiser remembers before its first step."""
    state: State = {}
    for name, table in parameters.items():
        if optimiser == "adagrad":
            state[f"{name}.sums"] = apart(len(table))
        if optimiser == "adam":
            state[f"{name}.m"] = apart(table.shape)
            state[f"{name}.v"] = apart(table.shape)
            state[f"{name}.counts"] = apart(len(table))
    return state


def step_rows(
    table: Tensor,
    rows: Tensor,
    gradient: Tensor,
    state: dict[str, Tensor],
    name: str,
    optimiser: Optimiser,
    lr: float,
) -> None:
    """Update distinct rows of a table, in place, by their gradients.

    A row whose gradient is zero stays as it is, moments and all.
    """
    moving = gradient.flatten(1).any(1)
    if not moving.all():
        rows, gradient = rows[moving], gradient[moving]
    per_row = (-1, *[1] * (gradient.dim() - 1))
    if optimiser == "sgd":
        table.index_add_(0, rows, gradient, alpha=-lr)
    elif optimiser == "adagrad":
        sums = state[f"{name}.sums"]
        sums[rows] += (gradient * gradient).flatten(1).mean(1)
        scaled = gradient / (sums[rows].sqrt() + float(ADAGRAD_EPSILON)).view(per_row)
        table.index_add_(0, rows, scaled, alpha=-lr)
    else:
        m, v, counts = (state[f"{name}.{what}"] for what in ("m", "v", "counts"))
        beta_1, beta_2 = float(ADAM_BETA_1), float(ADAM_BETA_2)
        counts[rows] += 1
        mean = beta_1 * m.index_select(0, rows) + (1 - beta_1) * gradient
        square = beta_2 * v.index_select(0, rows) + (1 - beta_2) * gradient * gradient
        m.index_copy_(0, rows, mean)
        v.index_copy_(0, rows, square)
        first = (1 - beta_1 ** counts[rows]).view(per_row)
        second = (1 - beta_2 ** counts[rows]).view(per_row)
        scaled = (mean / first) / ((square / second).sqrt() + float(ADAM_EPSILON))
        table.index_add_(0, rows, scaled, alpha=-lr)
