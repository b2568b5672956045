"""SME bilinear: f_r(h, t) = −g_left(h, r)ᵀ g_right(r, t) (Bordes et al. 2012, 2014).

As SME linear, but the relation picks the matrix that its end goes through:

    g_left(h, r) = (W_l ×₃ r) h + b_l        g_right(r, t) = (W_r ×₃ r) t + b_r

Parameters: d per entity, d per relation, 2kd² + 2k shared. Represents symmetric, antisymmetric,
inverse and 1-to-N relations, as far as mixtures of d shared matrices go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from transa.models.about import About
from transa.models.algebra import apply, dot
from transa.models.energy import Parameters, Rows, at_least_one, normal
from transa.models.families import Similarity

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class SMEBilinearEnergy(Similarity):
    """Both ends matched after each went through a matrix that the relation mixes.

    Attributes:
        hidden: length of what is matched, k.
    """

    hidden: int = 50
    dim: int = 50

    name: ClassVar[str] = "sme-bilinear"
    tables: ClassVar[Mapping[str, Rows]] = {
        "entity": "entity",
        "relation": "relation",
        "left": "shared",
        "left_bias": "shared",
        "right": "shared",
        "right_bias": "shared",
    }
    about: ClassVar[About] = About(
        formula="−((W ×₃ r)h + b)ᵀ((W′ ×₃ r)t + b′)",
        paper="Bordes 2012",
        shared="2kd² + 2k",
        size="hidden",
        learns=("symmetric", "antisymmetric", "inverse", "one-to-many"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least_one("hidden", self.hidden)

    def initialise(self, n_entities: int, n_relations: int, rng: np.random.Generator) -> Parameters:
        """Gaussian; biases are 0."""
        shape = (1, self.hidden, self.dim, self.dim)
        return {
            "entity": normal(rng, n_entities, self.dim),
            "relation": normal(rng, n_relations, self.dim),
            "left": normal(rng, *shape),
            "left_bias": np.zeros((1, self.hidden), np.float32),
            "right": normal(rng, *shape),
            "right_bias": np.zeros((1, self.hidden), np.float32),
        }

    def energy(self, parameters: Mapping[str, Tensor], h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        """−g_left(h, r)ᵀ g_right(r, t)."""
        left = self._combined(parameters, "left", parameters["entity"][h], r)
        right = self._combined(parameters, "right", parameters["entity"][t], r)
        return -dot(left, right)

    def _combined(
        self, parameters: Mapping[str, Tensor], side: str, end: Tensor, r: Tensor
    ) -> Tensor:
        """(W ×₃ r) e + b of one side; the matrix is made once a relation, not once an end."""
        import torch

        relation = parameters["relation"][r]
        matrix = torch.einsum("kij,...j->...ki", parameters[side][0], relation)
        return apply(matrix, end) + parameters[f"{side}_bias"][0]
