"""What a model brings along for speed: training steps in Numba, and views of its energy.

All are of one energy and no other. A class that defines an energy of its own does not inherit
them: see `Energy.__init_subclass__`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from transa.models.energy import Norm, Tables

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class FusedSteps:
    """A training loop in Numba, which draws, scores, differentiates and updates in one pass.

    Attributes:
        kernels: the module of `transa.kernels.training` that has it.
        tables: the parameters that it is handed, in this order.
        norm: of its distances.
        dim: of an entity.
        space: dimensions in which distances are taken.
        map_size: weights by which a relation maps entities there; 0 where none does.
        soft: weight of soft constraints, where it knows any.
        also: other sizes that the loop is compiled for.
        listwise: whether the loop of the listwise loss knows it; else that is left to autograd.
    """

    kernels: str
    tables: tuple[str, ...]
    norm: Norm
    dim: int
    space: int
    map_size: int = 0
    soft: float = 0.0
    also: tuple[int, ...] = ()
    listwise: bool = False

    def compiled_for(self, *known: float) -> Callable[..., float]:
        """The loop for a run, given the first six of `transa.kernels.training.step.Rule`."""
        from transa.kernels.sizes import compiled_dim, compiled_sizes

        module = importlib.import_module(f"transa.kernels.training.{self.kernels}")
        dim, negatives, *others = known
        sizes = compiled_sizes(int(dim), int(negatives))
        also = map(compiled_dim, self.also)
        loop: Callable[..., float] = module.train_blocks_for(*sizes, *others, *also)
        return loop

    def room(self, negatives: int, run: int) -> tuple[Any, ...]:
        """Fresh room for one thread, given the negatives of a triple and the triples of a run."""
        from transa.kernels.training.projections import projections
        from transa.kernels.training.step import scratch

        room = scratch(self.space, negatives, run)
        if self.map_size == 0:
            return (room,)
        return room, projections(self.dim, self.space, self.map_size, negatives)


@dataclass(frozen=True)
class DistanceView:
    """An energy as ‖x + r − y‖ among points, which the ranking kernel counts without a table.

    Attributes:
        norm: of the distance.
        of_relation: all entities as a relation sees them, (n, k), and its translation, (k,); None
            where they are the rows of the tables ``entity`` and ``relation`` themselves.
        row_by_row: whether an entity's place there is the same to the last bit, whatever other
            entities it is computed with: a product of matrices may round otherwise.
    """

    norm: Norm
    of_relation: Callable[[Tables, int], tuple[NDArray[np.float32], NDArray[np.float32]]] | None = (
        None
    )
    row_by_row: bool = True


@dataclass(frozen=True)
class Queries:
    """An energy as a comparison of a question's point with its candidates' rows.

    Attributes:
        of: the points of questions, given the rows of their anchors and relations, which broadcast,
            and whether it is tails that are asked for.
        relation: the table of relations.
        moduli: whether energies are Σᵢ |qᵢ − eᵢ| in complex numbers, or minus the products q·e.
        l2: weight of the squared length of a triple's rows.
        n3: weight of the cubes of their numbers.
        dura: weight of the squared lengths of a question's point and of its answer's row.
        of_moduli: whether those are cubes of moduli, the second half of a row being imaginary.
    """

    of: Callable[..., Tensor]
    relation: str = "relation"
    moduli: bool = False
    l2: float = 0.0
    n3: float = 0.0
    dura: float = 0.0
    of_moduli: bool = False
