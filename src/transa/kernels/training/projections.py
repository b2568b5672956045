"""Entities as a relation projects them: distances between projections, and their derivatives.

Where a relation has a map A of its own, the query is q = A a + d for the anchor a, and a candidate
x is ‖q − A x‖ from it. The derivatives by the projections are the same whatever the map; the way
back through it is the model's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from transa.kernels.distances import L1, distance_to_row
from transa.kernels.jit import inline
from transa.kernels.memory import apart
from transa.kernels.training.candidates import judge
from transa.kernels.training.gradients import direction_scale, signed
from transa.kernels.training.step import Rule, Scratch

_ZERO, _ONE = np.float32(0), np.float32(1)

# Entities that a pass over a matrix may take at once: a weight that is loaded is used for each.
TOGETHER = 3


class Projections(NamedTuple):
    """Room for one thread; rows are the K corruptions, then the answer, then the anchor.

    To a multiple of `TOGETHER` there follow rows of no effect: the anchor again, its derivatives 0.

    Attributes:
        who: int32 (rows,), the entities.
        of: float32 (rows, space), the projections.
        derivatives: float32 (rows, space), of the loss by them.
        alongs: float32 (rows,), what a map of one direction leaves out.
        gradient: float32 (dim,), an entity's.
        map_gradient: float32, the map's, its weights in one row.
    """

    who: np.ndarray
    of: np.ndarray
    derivatives: np.ndarray
    alongs: np.ndarray
    gradient: np.ndarray
    map_gradient: np.ndarray


def projections(dim: int, space: int, map_size: int, k: int) -> Projections:
    """Fresh room for projections of `space` dimensions under maps of `map_size` weights."""
    rows = -(-(k + 2) // TOGETHER) * TOGETHER
    return Projections(
        who=apart(rows, np.int32),
        of=apart((rows, space)),
        derivatives=apart((rows, space)),
        alongs=apart(rows),
        gradient=apart(dim),
        map_gradient=apart(map_size),
    )


@inline
def gather(
    seen: Projections, negatives: np.ndarray, at: int, answer: int, anchor: int, rule: Rule
) -> None:
    """Note whose projections are looked at."""
    for j in range(rule.negatives):
        seen.who[j] = negatives[at, j]
    seen.who[rule.negatives] = answer
    for j in range(rule.negatives + 1, seen.who.shape[0]):
        seen.who[j] = anchor


@inline
def pull_image(
    room: Scratch,
    seen: Projections,
    j: int,
    norm: int,
    slope: np.float32,
    energy: np.float32,
    space: int,
) -> None:
    """The derivative of slope · ‖q − y‖ by the image y in row j; q's share is added up."""
    if norm == L1:
        for k in range(space):
            g = slope * signed(_ONE, room.q[k] - seen.of[j, k])
            room.q_gradient[k] += g
            seen.derivatives[j, k] = -g
        return
    factor = slope * direction_scale(norm, energy)
    for k in range(space):
        g = factor * (room.q[k] - seen.of[j, k])
        room.q_gradient[k] += g
        seen.derivatives[j, k] = -g


@inline
def judge_images(
    relation: np.ndarray,
    r: int,
    direction: np.float32,
    margin: np.float32,
    rule: Rule,
    room: Scratch,
    seen: Projections,
    space: int,
) -> tuple[np.float32, np.float32, np.float32]:
    """Set q = A a ± d; the loss, f and dL/df."""
    answer, anchor = rule.negatives, rule.negatives + 1
    for k in range(space):
        room.q[k] = seen.of[anchor, k] + direction * relation[r, k]
    for j in range(rule.negatives):
        room.energies[j] = distance_to_row(room.q, seen.of, j, rule.norm, space)
    positive = distance_to_row(room.q, seen.of, answer, rule.norm, space)
    value, slope = judge(positive, margin, rule, room)
    return value, positive, slope


@inline
def derive_projections(
    positive: np.float32,
    slope: np.float32,
    rule: Rule,
    room: Scratch,
    seen: Projections,
    space: int,
) -> None:
    """Fill the derivatives by the projections; room.q_gradient receives dL/dq."""
    answer, anchor = rule.negatives, rule.negatives + 1
    for k in range(space):
        room.q_gradient[k] = _ZERO
    for j in range(rule.negatives):
        pull_image(room, seen, j, rule.norm, room.slopes[j], room.energies[j], space)
    pull_image(room, seen, answer, rule.norm, slope, positive, space)
    for k in range(space):
        seen.derivatives[anchor, k] = room.q_gradient[k]
