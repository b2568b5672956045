"""An answer and its corruptions: told apart by their distances to the query, and pulled."""

from __future__ import annotations

import numpy as np

from transa.kernels.distances import distance_to_row
from transa.kernels.jit import inline
from transa.kernels.training.gradients import pull_row, step_of
from transa.kernels.training.losses import HINGE, differentiate, weigh
from transa.kernels.training.optimisers import ADAM, Table
from transa.kernels.training.step import Rule, Scratch

_ZERO = np.float32(0)


@inline
def judge(
    positive: np.float32, margin: np.float32, rule: Rule, room: Scratch
) -> tuple[np.float32, np.float32]:
    """The loss of f = `positive` and f′ = room.energies, and dL/df; room.slopes receives dL/df′."""
    weigh(room.energies, rule.adversarial, room.weights, rule.negatives)
    return differentiate(
        rule.loss,
        positive,
        room.energies,
        room.weights,
        margin,
        rule.gamma,
        room.slopes,
        rule.negatives,
    )


@inline
def asks_for_nothing(loss: int, slope: np.float32) -> bool:
    """Whether no vector is to move: a satisfied hinge's slopes are all zero."""
    return loss == HINGE and slope == _ZERO


@inline
def pull_candidates(
    entity: Table,
    answer: int,
    negatives: np.ndarray,
    at: int,
    positive: np.float32,
    margin: np.float32,
    rule: Rule,
    room: Scratch,
) -> tuple[np.float32, np.float32]:
    """Step the answer, which is `positive` from q, and its corruptions; the loss and dL/df.

    Fills q's gradient, unless nothing is asked for.
    """
    for j in range(rule.negatives):
        room.energies[j] = distance_to_row(
            room.q, entity.rows, negatives[at, j], rule.norm, rule.dim
        )
    value, slope = judge(positive, margin, rule, room)
    if asks_for_nothing(rule.loss, slope):
        return value, slope
    for k in range(rule.dim):
        room.q_gradient[k] = _ZERO
    # Roots and divisions first and together, so that they overlap.
    of_answer = _ZERO
    if rule.optimiser != ADAM:
        for j in range(rule.negatives):
            slope_j, energy = room.slopes[j], room.energies[j]
            room.steps[j] = step_of(entity, negatives[at, j], slope_j, energy, rule)
        of_answer = step_of(entity, answer, slope, positive, rule)
    for j in range(rule.negatives):
        if room.slopes[j] != _ZERO:
            slope_j, energy, of_j = room.slopes[j], room.energies[j], room.steps[j]
            pull_row(entity, negatives[at, j], room, slope_j, energy, of_j, rule)
    pull_row(entity, answer, room, slope, positive, of_answer, rule)
    return value, slope
