"""What a model brings along for speed: training steps in Numba, and a view for ranking.

Both are of one energy and no other. A class that defines an energy of its own does not inherit
them: see `Energy.__init_subclass__`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transa.models.energy import Norm, Tables


@dataclass(frozen=True)
class FusedSteps:
    """A training loop in Numba, which draws, scores, differentiates and updates in one pass.

    Attributes:
        compiled_for: the loop for a dimension, number of negatives, norm, loss, optimiser and
            whether entities are kept in the ball (the first six of
            `transa.kernels.training.step.Rule`).
        tables: the parameters that it is handed, in this order.
        norm: of its distances.
        room: fresh room for one thread, given the negatives of a triple and the triples of a run.
        floats_a_row: numbers that a step reads for one entity: work is cut into slices by them.
        soft: weight of soft constraints, where it knows any.
    """

    compiled_for: Callable[..., Callable[..., float]]
    tables: tuple[str, ...]
    norm: Norm
    room: Callable[[int, int], tuple[Any, ...]]
    floats_a_row: int
    soft: float = 0.0


@dataclass(frozen=True)
class DistanceView:
    """An energy as ‖x + r − y‖ among points, which the ranking kernel counts without a table.

    Attributes:
        norm: of the distance.
        of_relation: all entities as a relation sees them, (n, k), and its translation, (k,); None
            where they are the rows of the tables ``entity`` and ``relation`` themselves.
    """

    norm: Norm
    of_relation: Callable[[Tables, int], tuple[NDArray[np.float32], NDArray[np.float32]]] | None = (
        None
    )
