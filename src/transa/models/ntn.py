"""NTN, the Neural Tensor Network (Socher et al. 2013).

    f_r(h, t) = −uᵀ tanh(hᵀ W^[1:k] t + V₁ h + V₂ t + b)

SLM plus a bilinear tensor of k slices. Parameters: d per entity, kd² + 2kd + 2k per relation, the
most of all. Represents what RESCAL does (symmetric, antisymmetric, inverse and 1-to-N relations)
and what SLM does.
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
class NTNEnergy(Product):
    """A tanh layer over a bilinear tensor and both ends."""

    l2: float = 0.01
    slices: int = setting(4, "Slices of the tensor, k.", least=1, most=MOST)
    dim: int = 50

    name: ClassVar[str] = "ntn"
    by_relation: ClassVar[bool] = True
    tables: ClassVar[Mapping[str, Rows]] = {
        "entity": "entity",
        "tensor": "relation",
        "left": "relation",
        "right": "relation",
        "bias": "relation",
        "output": "relation",
    }
    about: ClassVar[About] = About(
        formula="−uᵀ tanh(hᵀWt + V₁h + V₂t + b)",
        paper="Socher 2013",
        per_relation="kd² + 2kd + 2k",
        size="slices",
        learns=("symmetric", "antisymmetric", "inverse", "one-to-many"),
    )

    def shape(self, table: str) -> tuple[int, ...]:
        """Of the tensor a matrix a slice, of each matrix a row a slice."""
        shapes = {
            "entity": (self.dim,),
            "tensor": (self.slices, self.dim, self.dim),
            "bias": (self.slices,),
            "output": (self.slices,),
        }
        return shapes.get(table, (self.slices, self.dim))

    def energy(self, parameters: Tensors, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        """−uᵀ tanh(hᵀ W t + V₁ h + V₂ t + b); the larger side is met once, by W and V together."""
        head, tail = (rows(parameters["entity"], ids) for ids in (h, t))
        tensor, left, right, bias, output = (
            rows(parameters[name], r) for name in ("tensor", "left", "right", "bias", "output")
        )
        if head_first(h, r, t):
            met = apply(apply(tensor.mT, head.unsqueeze(-2)) + right, tail) + apply(left, head)
        else:
            met = apply(apply(tensor, tail.unsqueeze(-2)) + left, head) + apply(right, tail)
        return -dot(output, (met + bias).tanh())
