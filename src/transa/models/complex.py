"""ComplEx: f_r(h, t) = −Re⟨h, r, t̄⟩ = −Re Σᵢ hᵢ rᵢ t̄ᵢ in complex numbers (Trouillon et al. 2016).

DistMult made able to tell heads from tails: tails are conjugated. Parameters: 2d per entity, 2d per
relation; d real parts, then d imaginary ones. Represents symmetric (r real), antisymmetric (r
imaginary), inverse (r conjugated) and 1-to-N relations; a composed relation has no tie to its
parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from transa.models.about import About
from transa.models.algebra import dot, head_first, rows
from transa.models.families import Trilinear
from transa.models.fused import Queries
from transa.models.tensors import Tensor, Tensors


@dataclass(frozen=True)
class ComplExEnergy(Trilinear):
    """A product of three complex vectors, the last one conjugated."""

    name: ClassVar[str] = "complex"
    about: ClassVar[About] = About(
        formula="−Re Σᵢ hᵢ rᵢ t̄ᵢ",
        paper="Trouillon 2016",
        per_entity="2d",
        per_relation="2d",
        learns=("symmetric", "antisymmetric", "inverse", "one-to-many"),
    )

    def shape(self, table: str) -> tuple[int, ...]:
        """2d: real parts, then imaginary ones."""
        del table
        return (2 * self.dim,)

    def energy(self, parameters: Tensors, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        """−Re⟨h, r, t̄⟩: h times r, against t; or h, against t times r conjugated."""
        head, tail = (rows(parameters["entity"], ids) for ids in (h, t))
        relation = rows(parameters["relation"], r)
        if head_first(h, r, t):
            return -dot(self.query(head, relation, at_tail=True), tail)
        return -dot(head, self.query(tail, relation, at_tail=False))

    def queries(self) -> Queries:
        """Products, and what keeps rows short."""
        return Queries(self.query, l2=self.l2, n3=self.n3, of_moduli=True)

    def query(self, anchor: Tensor, relation: Tensor, *, at_tail: bool) -> Tensor:
        """H r, or t r̄."""
        real, imaginary = relation.chunk(2, dim=-1)
        return complex_product(anchor, real, imaginary if at_tail else -imaginary)

    @staticmethod
    def cubes(table: Tensor) -> Tensor:
        """‖·‖₃³ of every row, of the moduli of its complex numbers."""
        real, imaginary = table.chunk(2, dim=1)
        return (real.square() + imaginary.square()).pow(1.5).sum(1)


def complex_product(vectors: Tensor, real: Tensor, imaginary: Tensor) -> Tensor:
    """Complex vectors, real parts first, times real + i imaginary."""
    import torch

    a, b = vectors.chunk(2, dim=-1)
    return torch.cat([a * real - b * imaginary, a * imaginary + b * real], dim=-1)
