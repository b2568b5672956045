"""SME linear: f_r(h, t) = −g_left(h, r)ᵀ g_right(r, t) (Bordes et al. 2012, 2014).

Semantic Matching Energy: relations are vectors like entities, and two small networks that all
triples share combine each end with the relation. Here they are linear:

    g_left(h, r) = W_l1 h + W_l2 r + b_l        g_right(r, t) = W_r1 t + W_r2 r + b_r

Parameters: d per entity, d per relation, 4dk + 2k shared. The relation never multiplies h and t
together, so the term that joins the two ends is the same for all relations: symmetric,
antisymmetric and inverse relations are represented only as far as the ends tell them apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from transa.models.about import About
from transa.models.algebra import apply, dot
from transa.models.energy import Parameters, Rows, at_least_one, normal
from transa.models.families import Similarity

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class SMELinearEnergy(Similarity):
    """Both ends matched after each was combined with the relation.

    Attributes:
        hidden: length of what is matched, k.
    """

    hidden: int = 100

    name: ClassVar[str] = "sme-linear"
    tables: ClassVar[Mapping[str, Rows]] = {
        "entity": "entity",
        "relation": "relation",
        "left_entity": "shared",
        "left_relation": "shared",
        "left_bias": "shared",
        "right_entity": "shared",
        "right_relation": "shared",
        "right_bias": "shared",
    }
    about: ClassVar[About] = About(
        formula="−(W₁h + W₂r + b)ᵀ(W₃t + W₄r + b′)",
        paper="Bordes 2012",
        shared="4dk + 2k",
        size="hidden",
        learns=("symmetric", "antisymmetric"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least_one("hidden", self.hidden)

    def initialise(self, n_entities: int, n_relations: int, rng: np.random.Generator) -> Parameters:
        """Gaussian; biases are 0."""

        def weights() -> NDArray[np.float32]:
            return normal(rng, 1, self.hidden, self.dim)

        return {
            "entity": normal(rng, n_entities, self.dim),
            "relation": normal(rng, n_relations, self.dim),
            "left_entity": weights(),
            "left_relation": weights(),
            "left_bias": np.zeros((1, self.hidden), np.float32),
            "right_entity": weights(),
            "right_relation": weights(),
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
        """W₁ e + W₂ r + b of one side."""
        of_entity, of_relation, bias = (
            parameters[f"{side}_{what}"][0] for what in ("entity", "relation", "bias")
        )
        return apply(of_entity, end) + apply(of_relation, parameters["relation"][r]) + bias
