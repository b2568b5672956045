"""SE, Structured Embedding: f_r(h, t) = ‖R₁ h − R₂ t‖₁ (Bordes et al. 2011).

A relation looks at its heads through one matrix and at its tails through another; what is related
looks alike. Parameters: d per entity, 2d² per relation. Represents symmetric (R₁ = R₂),
antisymmetric, inverse (matrices swapped) and 1-to-N relations (R₂ flattens what tells the tails
apart). With two matrices a relation, nothing ties one to its inverse or to its parts: of these
patterns it learns antisymmetric and 1-to-N relations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from transa.models.about import About
from transa.models.algebra import apply, rows
from transa.models.energy import Energy, Rows, normal, unit_rows, xavier_uniform
from transa.models.families import absolute_distance
from transa.models.tensors import Tensor, Tensors


@dataclass(frozen=True)
class SEEnergy(Energy):
    """Heads and tails, each seen through the relation's own matrix."""

    name: ClassVar[str] = "se"
    by_relation: ClassVar[bool] = True
    tables: ClassVar[Mapping[str, Rows]] = {
        "entity": "entity",
        "left": "relation",
        "right": "relation",
    }
    about: ClassVar[About] = About(
        formula="‖R₁ h − R₂ t‖₁",
        paper="Bordes 2011",
        per_relation="2d²",
        learns=("antisymmetric", "one-to-many"),
    )

    recipe: ClassVar[Mapping[str, str | float]] = {"batch": 256, "optimiser": "adam", "lr": 0.01}

    def draw(self, table: str, n: int, rng: np.random.Generator) -> NDArray[np.float32]:
        """Unit entities; Gaussian matrices that keep lengths as they are, on average."""
        if table == "entity":
            return unit_rows(xavier_uniform(rng, n, self.dim))
        return normal(rng, n, self.dim, self.dim)

    def energy(self, parameters: Tensors, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        """‖R₁ h − R₂ t‖₁."""
        entity, left, right = (parameters[name] for name in self.tables)
        head = apply(rows(left, r), rows(entity, h))
        tail = apply(rows(right, r), rows(entity, t))
        return absolute_distance(head, tail)
