"""TransR: f_r(h, t) = ‖M_r h + r − M_r t‖ (Lin et al. 2015).

Translation in a relation's own space, of k dimensions, into which M_r projects the entities.
Parameters: d per entity, dk + k per relation. Represents what TransH does; the matrix may keep or
drop any part of an entity. In spaces of their own nothing ties relations to each other, so that it
learns antisymmetric and 1-to-N relations, but not inverse or composed ones.

Matrices begin as identities, so that training begins from TransE's energy; the paper begins from
trained TransE vectors. Of its bounds, ‖h‖, ‖r‖, ‖t‖, ‖M_r h‖ and ‖M_r t‖ ≤ 1, only those of the
entities are kept here, and the norm is L1 unless `norm` says otherwise; the paper's is squared L2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from transa.declarations import setting
from transa.models.about import About
from transa.models.algebra import apply, rows
from transa.models.energy import MOST, Rows, Tables, identities, unit_rows, xavier_uniform
from transa.models.families import Translation, dissimilarity
from transa.models.fused import DistanceView, FusedSteps
from transa.models.tensors import Tensor, Tensors


@dataclass(frozen=True)
class TransREnergy(Translation):
    """Translation in the relation's own space."""

    relation_dim: int = setting(50, "Dimensions of a relation's own space, k.", least=1, most=MOST)
    dim: int = 50

    name: ClassVar[str] = "transr"
    by_relation: ClassVar[bool] = True
    tables: ClassVar[Mapping[str, Rows]] = {
        "entity": "entity",
        "relation": "relation",
        "projection": "relation",
    }
    about: ClassVar[About] = About(
        formula="‖M h + r − M t‖",
        paper="Lin 2015",
        per_relation="dk + k",
        size="relation_dim",
        learns=("antisymmetric", "one-to-many"),
    )
    recipe: ClassVar[Mapping[str, str | float]] = {"lr": 0.5, "adversarial": 1.0}

    def draw(self, table: str, n: int, rng: np.random.Generator) -> NDArray[np.float32]:
        """As TransE, and identities."""
        if table == "projection":
            return identities(n, self.relation_dim, self.dim)
        dim = self.dim if table == "entity" else self.relation_dim
        return unit_rows(xavier_uniform(rng, n, dim))

    def energy(self, parameters: Tensors, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        """‖M h + r − M t‖."""
        matrix = rows(parameters["projection"], r)
        head, tail = (apply(matrix, rows(parameters["entity"], ids)) for ids in (h, t))
        return dissimilarity(head + rows(parameters["relation"], r) - tail, self.norm)

    def fused_steps(self) -> FusedSteps:
        """Entities are projected into the space of the relation."""
        dim, space, tables = self.dim, self.relation_dim, tuple(self.tables)
        weights = space * dim
        return FusedSteps("transr", tables, self.norm, dim, space, map_size=weights, also=(space,))

    def distance_view(self) -> DistanceView:
        """All entities in the space of a relation, and its translation there."""
        return DistanceView(self.norm, _in_space, row_by_row=False)


def _in_space(tables: Tables, r: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    return tables["entity"] @ tables["projection"][r].T, tables["relation"][r]
