"""RotatE: f_r(h, t) = Σᵢ |hᵢ rᵢ − tᵢ| with rᵢ = e^{iθᵢ} in complex numbers (Sun et al. 2019).

A relation turns each coordinate of its heads by an angle. Parameters: 2d per entity, d per relation
(the angles). Represents symmetric (θᵢ 0 or π), antisymmetric, inverse (−θ) and composed relations
(θ + θ′); 1-to-N ones only approximately, as TransE.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from transa.models.about import About
from transa.models.complex import complex_product
from transa.models.energy import Energy, Parameters, Rows, unit_rows, xavier_uniform

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class RotatEEnergy(Energy):
    """Rotation: a relation turns its heads into its tails."""

    name: ClassVar[str] = "rotate"
    tables: ClassVar[Mapping[str, Rows]] = {"entity": "entity", "angle": "relation"}
    about: ClassVar[About] = About(
        formula="Σᵢ |hᵢ rᵢ − tᵢ|, rᵢ = e^{iθᵢ}",
        paper="Sun 2019",
        per_entity="2d",
        learns=("symmetric", "antisymmetric", "inverse", "composition"),
    )

    def initialise(self, n_entities: int, n_relations: int, rng: np.random.Generator) -> Parameters:
        """Unit entities, angles of any size."""
        return {
            "entity": unit_rows(xavier_uniform(rng, n_entities, 2 * self.dim)),
            "angle": rng.uniform(-np.pi, np.pi, (n_relations, self.dim)).astype(np.float32),
        }

    def energy(self, parameters: Mapping[str, Tensor], h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        """Σᵢ |hᵢ rᵢ − tᵢ|."""
        import torch

        entity, angle = parameters["entity"], parameters["angle"][r]
        difference = complex_product(entity[h], angle.cos(), angle.sin()) - entity[t]
        # vector_norm has a gradient, 0, where both parts are 0; a root has none there.
        parts = torch.stack(difference.chunk(2, dim=-1))
        moduli: Tensor = torch.linalg.vector_norm(parts, dim=0)
        return moduli.sum(-1)
