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
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from transa.models.about import About
from transa.models.algebra import apply, rows
from transa.models.energy import (
    Parameters,
    Rows,
    Tables,
    at_least_one,
    identities,
    unit_rows,
    xavier_uniform,
)
from transa.models.families import Translation, dissimilarity

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class TransREnergy(Translation):
    """Translation in the relation's own space.

    Attributes:
        relation_dim: dimensions of that space, k.
    """

    relation_dim: int = 50
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

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least_one("relation_dim", self.relation_dim)

    def initialise(self, n_entities: int, n_relations: int, rng: np.random.Generator) -> Parameters:
        """As TransE, and identities."""
        return {
            "entity": unit_rows(xavier_uniform(rng, n_entities, self.dim)),
            "relation": unit_rows(xavier_uniform(rng, n_relations, self.relation_dim)),
            "projection": identities(n_relations, self.relation_dim, self.dim),
        }

    def energy(self, parameters: Mapping[str, Tensor], h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        """‖M h + r − M t‖."""
        matrix = rows(parameters["projection"], r)
        head, tail = (apply(matrix, rows(parameters["entity"], ids)) for ids in (h, t))
        return dissimilarity(head + rows(parameters["relation"], r) - tail, self.norm)

    def images(self, parameters: Tables, r: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """All entities in the space of relation r, (n, k), and its translation there."""
        projected = parameters["entity"] @ parameters["projection"][r].T
        return projected, parameters["relation"][r]
