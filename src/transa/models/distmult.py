"""DistMult: f_r(h, t) = −⟨h, r, t⟩ = −Σᵢ hᵢ rᵢ tᵢ (Yang et al. 2015).

RESCAL with diagonal matrices. Parameters: d per entity, d per relation. Represents symmetric and
1-to-N relations; every relation is symmetric to it, so that it cannot tell r(a, b) from r(b, a).
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
class DistMultEnergy(Trilinear):
    """A product of three vectors."""

    name: ClassVar[str] = "distmult"
    about: ClassVar[About] = About(
        formula="−Σᵢ hᵢ rᵢ tᵢ",
        paper="Yang 2015",
        learns=("symmetric", "one-to-many"),
    )

    def energy(self, parameters: Tensors, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        """−Σᵢ hᵢ rᵢ tᵢ."""
        head, tail = (rows(parameters["entity"], ids) for ids in (h, t))
        relation = rows(parameters["relation"], r)
        if head_first(h, r, t):
            return -dot(self.query(head, relation, at_tail=True), tail)
        return -dot(head, self.query(tail, relation, at_tail=False))

    def queries(self) -> Queries:
        """Products, and what keeps rows short."""
        return Queries(self.query, l2=self.l2, n3=self.n3)

    def query(self, anchor: Tensor, relation: Tensor, *, at_tail: bool) -> Tensor:
        """The anchor's numbers times the relation's, from either side."""
        return anchor * relation if at_tail else relation * anchor
