"""TransH: f_r(h, t) = ‖h⊥ + d_r − t⊥‖, e⊥ = e − (wᵀe) w (Wang et al. 2014).

Translation on a relation's own hyperplane, whose normal w is a unit vector: entities that differ
along w alone are the same to this relation. Parameters: d per entity, 2d per relation. Represents
antisymmetric, inverse and composed relations as TransE does, and 1-to-N, N-to-1 and symmetric ones
(d_r = 0) without making the entities equal.

The paper's soft constraints, weighted by C, are part of the loss: ‖e‖ ≤ 1 and |wᵀd| / ‖d‖ ≤ ε,
which keeps the translation in the plane. ‖w‖ = 1 holds after every step, and of the running mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from transa.declarations import setting
from transa.models.about import About
from transa.models.algebra import dot, rows
from transa.models.energy import Parameters, Rows, Tables, unit_rows
from transa.models.families import Translation, dissimilarity
from transa.models.fused import DistanceView, FusedSteps
from transa.models.tensors import Tensor, Tensors

# ε of the paper: how far from orthogonal goes unpunished.
_EPSILON = 1e-3
# 1, but for rounding: entities that the ball has just put on its surface are not too long.
_LONGEST = 1 + 1e-5


@dataclass(frozen=True)
class TransHEnergy(Translation):
    """Translation on a hyperplane."""

    soft: float = setting(0.0625, "Weight of the soft constraints, C.", least=0)

    name: ClassVar[str] = "transh"
    tables: ClassVar[Mapping[str, Rows]] = {
        "entity": "entity",
        "relation": "relation",
        "normal": "relation",
    }
    about: ClassVar[About] = About(
        formula="‖h⊥ + d − t⊥‖, e⊥ = e − (wᵀe)w",
        paper="Wang 2014",
        per_relation="2d",
        learns=("antisymmetric", "inverse", "composition", "one-to-many"),
    )
    recipe: ClassVar[Mapping[str, str | float]] = {"lr": 0.3}

    def energy(self, parameters: Tensors, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        """‖h⊥ + d − t⊥‖."""
        normal = rows(parameters["normal"], r)
        head, tail = (_onto_plane(rows(parameters["entity"], ids), normal) for ids in (h, t))
        return dissimilarity(head + rows(parameters["relation"], r) - tail, self.norm)

    def fused_steps(self) -> FusedSteps:
        """Entities are projected onto the plane of the relation."""
        dim, tables = self.dim, tuple(self.tables)
        return FusedSteps("transh", tables, self.norm, dim, dim, map_size=dim, soft=self.soft)

    def distance_view(self) -> DistanceView:
        """All entities in the plane of a relation, and its translation there."""
        return DistanceView(self.norm, _in_plane)

    def penalty(self, parameters: Tensors, h: Tensor, r: Tensor, t: Tensor) -> Tensor | None:
        """C ([‖h‖² − 1]₊ + [‖t‖² − 1]₊ + [(wᵀd)² / ‖d‖² − ε²]₊)."""
        if self.soft == 0:
            return None
        entity, translation = parameters["entity"], parameters["relation"][r]
        too_long = sum((entity[ids].square().sum(-1) - _LONGEST).relu() for ids in (h, t))
        across = dot(parameters["normal"][r], translation).square()
        # A translation of length 0 is in every plane.
        along = translation.square().sum(-1).clamp(min=1e-12)
        return self.soft * (too_long + (across / along - _EPSILON**2).relu())

    def settle(self, parameters: Parameters) -> None:
        """‖w‖ = 1."""
        parameters["normal"][...] = unit_rows(parameters["normal"])

    def constrain(self, parameters: Tensors, rows: Mapping[Rows, Tensor]) -> None:
        """‖w‖ = 1."""
        normals, moved = parameters["normal"], rows["relation"]
        normals[moved] /= normals[moved].norm(dim=1, keepdim=True).clamp(min=1e-12)


def _in_plane(tables: Tables, r: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    entity, normal = tables["entity"], tables["normal"][r]
    # Summed row by row, so that entities that are alike are alike in the plane.
    along = (entity * normal).sum(axis=1, keepdims=True)
    return entity - along * normal, tables["relation"][r]


def _onto_plane(vectors: Tensor, normal: Tensor) -> Tensor:
    """Vectors without their part along the normal: e − (wᵀe) w."""
    return vectors - dot(normal, vectors).unsqueeze(-1) * normal
