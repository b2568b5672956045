"""SME linear: f_r(h, t) = −g_left(h, r)ᵀ g_right(r, t) (Bordes et al. 2012, 2014).

Semantic matching with networks that add up:

    g_left(h, r) = W_l1 h + W_l2 r + b_l        g_right(r, t) = W_r1 t + W_r2 r + b_r

Parameters: d per entity, d per relation, 4dk + 2k shared. The relation never multiplies h and t
together, so the term that joins the two ends is the same for all relations: symmetric,
antisymmetric and inverse relations are represented only as far as the ends tell them apart. It
learns antisymmetric and 1-to-N ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from transa.models.about import About
from transa.models.algebra import apply
from transa.models.energy import Rows
from transa.models.matching import Matching, Side
from transa.models.tensors import Tensor, Tensors


@dataclass(frozen=True)
class SMELinearEnergy(Matching):
    """Ends and relation added up, then matched."""

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
        learns=("antisymmetric", "one-to-many"),
    )

    def shape(self, table: str) -> tuple[int, ...]:
        """Vectors of d and matrices that make k of them, with biases of k."""
        if table.endswith("_bias"):
            return (self.hidden,)
        return (self.dim,) if table in ("entity", "relation") else (self.hidden, self.dim)

    def network(self, parameters: Tensors, side: Side, relation: Tensor) -> tuple[Tensor, Tensor]:
        """W₁, and W₂ r + b."""
        of_entity, of_relation, bias = (
            parameters[f"{side}_{what}"][0] for what in ("entity", "relation", "bias")
        )
        return of_entity, apply(of_relation, relation) + bias
