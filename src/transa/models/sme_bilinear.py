"""SME bilinear: f_r(h, t) = −g_left(h, r)ᵀ g_right(r, t) (Bordes et al. 2012, 2014).

Semantic matching as in SME linear, but the relation picks the matrix that its end goes through, in
the form of the later paper:

    g_left(h, r) = (W_l ×₃ r) h + b_l        g_right(r, t) = (W_r ×₃ r) t + b_r

Parameters: d per entity, d per relation, 2kd² + 2k shared. Represents symmetric, antisymmetric,
inverse and 1-to-N relations, as far as mixtures of d shared matrices go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from transa.models.about import About
from transa.models.energy import Rows
from transa.models.matching import Matching, Side
from transa.models.tensors import Tensor, Tensors


@dataclass(frozen=True)
class SMEBilinearEnergy(Matching):
    """Each end through a matrix that the relation mixes, then matched."""

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

    def shape(self, table: str) -> tuple[int, ...]:
        """Vectors of d and matrices that make k of them, with biases of k."""
        if table.endswith("_bias"):
            return (self.hidden,)
        return (self.hidden, self.dim, self.dim) if table in ("left", "right") else (self.dim,)

    def network(self, parameters: Tensors, side: Side, relation: Tensor) -> tuple[Tensor, Tensor]:
        """W ×₃ r, and b."""
        import torch

        matrix = torch.einsum("kij,...j->...ki", parameters[side][0], relation)
        return matrix, parameters[f"{side}_bias"][0]
