"""LFM, the Latent Factor Model (Jenatton et al. 2012).

    f_r(h, t) = −(yᵀR_r y′ + hᵀR_r z + zᵀR_r t + hᵀR_r t),   R_r = Σᵢ αᵢʳ uᵢ vᵢᵀ

A bilinear form whose matrices are sparse sums of rank-one factors that all relations share: 1-, 2-
and 3-way interactions. Parameters: d per entity, k per relation, 2kd + 3d shared. The paper bounds
‖αʳ‖₁; here the L1 norm can be added to the loss (`sparsity`, which is 0 by default). Represents
symmetric, antisymmetric, inverse and 1-to-N relations; a composed one has no tie to its parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from transa.declarations import setting
from transa.models.about import About
from transa.models.algebra import apply, dot, head_first, rows
from transa.models.energy import MOST, Rows
from transa.models.families import Product
from transa.models.tensors import Tensor, Tensors


@dataclass(frozen=True)
class LFMEnergy(Product):
    """Relations as sparse mixtures of shared rank-one factors."""

    l2: float = 0.03
    factors: int = setting(200, "How many rank-one factors there are, k.", least=1, most=MOST)
    sparsity: float = setting(0.0, "Weight of ‖αʳ‖₁ in a triple's loss.", least=0)

    name: ClassVar[str] = "lfm"
    tables: ClassVar[Mapping[str, Rows]] = {
        "entity": "entity",
        "relation": "relation",
        "left": "shared",
        "right": "shared",
        "context": "shared",
    }
    about: ClassVar[About] = About(
        formula="−(yᵀRy′ + hᵀRz + zᵀRt + hᵀRt), R = Σᵢ αᵢuᵢvᵢᵀ",
        paper="Jenatton 2012",
        per_relation="k",
        shared="2kd + 3d",
        size="factors",
        learns=("symmetric", "antisymmetric", "inverse", "one-to-many"),
    )

    def shape(self, table: str) -> tuple[int, ...]:
        """The rows of `context` are y, y′ and z."""
        shapes = {"entity": (self.dim,), "relation": (self.factors,), "context": (3, self.dim)}
        return shapes.get(table, (self.factors, self.dim))

    def energy(self, parameters: Tensors, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        """The four terms, of which three are one product: (h + z)ᵀR(t + z) − zᵀRz."""
        left, right = parameters["left"][0], parameters["right"][0]
        y, y_prime, z = parameters["context"][0]
        head, tail = (rows(parameters["entity"], ids) + z for ids in (h, t))
        mixture = rows(parameters["relation"], r)
        if head_first(h, r, t):
            joined = dot(apply(right.T, mixture * apply(left, head)), tail)
        else:
            joined = dot(head, apply(left.T, mixture * apply(right, tail)))
        alone = apply(left, y) * apply(right, y_prime) - apply(left, z) * apply(right, z)
        return -(joined + dot(mixture, alone))

    def penalty(self, parameters: Tensors, h: Tensor, r: Tensor, t: Tensor) -> Tensor | None:
        """The squared lengths, and λ ‖αʳ‖₁."""
        squares = super().penalty(parameters, h, r, t)
        if self.sparsity == 0:
            return squares
        absolute = self.sparsity * parameters["relation"].abs().sum(-1)[r]
        return absolute if squares is None else squares + absolute
