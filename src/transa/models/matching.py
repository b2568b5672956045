"""Semantic matching (Bordes et al. 2012, 2014): f_r(h, t) = −g_left(h, r)ᵀ g_right(r, t).

Relations are vectors like entities, and two small networks that all triples share combine each end
with the relation. Both are affine in the end, g(e) = A e + c, where A and c may depend on the
relation: `sme_linear` and `sme_bilinear` say how.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal, TypeAlias

from transa.declarations import setting
from transa.models.algebra import apply, dot, head_first, rows
from transa.models.energy import MOST
from transa.models.families import Product
from transa.models.tensors import Tensor, Tensors

Side: TypeAlias = Literal["left", "right"]


@dataclass(frozen=True)
class Matching(Product):
    """Both ends matched after each was combined with the relation."""

    l2: float = 0.01
    hidden: int = setting(100, "Length of what is matched, k.", least=1, most=MOST)

    @abstractmethod
    def network(self, parameters: Tensors, side: Side, relation: Tensor) -> tuple[Tensor, Tensor]:
        """A (..., k, d) and c (..., k) of one side, from relation vectors (..., d)."""

    def energy(self, parameters: Tensors, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        """−g_left(h, r)ᵀ g_right(r, t), as (Aᵀg)ᵀe + gᵀc with e the end that comes second."""
        head, tail = (rows(parameters["entity"], ids) for ids in (h, t))
        relation = rows(parameters["relation"], r)
        left = self.network(parameters, "left", relation)
        right = self.network(parameters, "right", relation)
        if head_first(h, r, t):
            return -_matched(*left, head, *right, tail)
        return -_matched(*right, tail, *left, head)


def _matched(a: Tensor, c: Tensor, x: Tensor, b: Tensor, d: Tensor, y: Tensor) -> Tensor:
    """(A x + c)ᵀ (B y + d), in which no B y is made."""
    combined = apply(a, x) + c
    return dot(apply(b.mT, combined), y) + dot(combined, d)
