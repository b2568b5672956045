"""RESCAL: f_r(h, t) = −hᵀ M_r t (Nickel et al. 2011, 2012).

A matrix a relation. Parameters: d per entity, d² per relation. Can represent any relation once d is
large enough: symmetric (M symmetric), antisymmetric, inverse (M transposed), 1-to-N. It pays in
size, and over-fits relations with few triples: hence `l2`. Published with alternating least
squares, which the optimiser `als` is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from transa.declarations import setting
from transa.models.about import About
from transa.models.algebra import apply, dot, head_first, rows
from transa.models.energy import Rows
from transa.models.families import MANY, SMALL, Product
from transa.models.fused import Queries
from transa.models.tensors import Tensor, Tensors


@dataclass(frozen=True)
class RESCALEnergy(Product):
    """A bilinear form with a full matrix a relation."""

    l2: float = 0.03
    dura: float = setting(
        0.0,
        "Weight of ‖Mᵀh‖² + ‖t‖² in a triple's loss.",
        "What a matrix makes of heads is kept short, instead of the matrix (Zhang et al. 2020).",
        least=0,
        search=10.0,
        neutral=0.0,
    )
    ridge: float = setting(
        10.0, "Weight of the squared norms of both tables in least squares, λ.", least=0
    )

    name: ClassVar[str] = "rescal"
    by_relation: ClassVar[bool] = True
    tables: ClassVar[Mapping[str, Rows]] = {"entity": "entity", "relation": "relation"}
    about: ClassVar[About] = About(
        formula="−hᵀ M t",
        paper="Nickel 2011",
        per_relation="d²",
        learns=("symmetric", "antisymmetric", "inverse", "one-to-many"),
    )

    @classmethod
    def by_size(cls, n_entities: int, n_triples: int, paired: float) -> Mapping[str, object]:
        """Reciprocal relations, kept short by what their matrices do, and a rate that falls."""
        del paired
        if n_triples < SMALL:
            return {}
        sparse = n_triples < 4 * n_entities
        return {
            "loss": "softmax",
            "optimiser": "adam",
            "reciprocal": True,
            # A large graph may have thousands of relations, each a matrix.
            "dim": 256 if n_triples < MANY else 128,
            "l2": 0.0,
            "dura": 0.1 if sparse else 0.03,
            "dropout": 0.0 if sparse else 0.3,
            "lr": 0.003,
            "lr_decay": "linear",
            "batch": 500,
            "negatives": 4096,
            "epochs": 20,
            "validate_every": 5,
        }

    def shape(self, table: str) -> tuple[int, ...]:
        """A vector an entity, a matrix a relation."""
        return (self.dim,) if table == "entity" else (self.dim, self.dim)

    def energy(self, parameters: Tensors, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        """−hᵀ M t."""
        head, tail = (rows(parameters["entity"], ids) for ids in (h, t))
        matrix = rows(parameters["relation"], r)
        if head_first(h, r, t):
            return -dot(self.query(head, matrix, at_tail=True), tail)
        return -dot(head, self.query(tail, matrix, at_tail=False))

    def penalty(self, parameters: Tensors, h: Tensor, r: Tensor, t: Tensor) -> Tensor | None:
        """The squared lengths, and λ (‖Mᵀh‖² + ‖t‖²)."""
        squares = super().penalty(parameters, h, r, t)
        if self.dura == 0:
            return squares
        head, tail = (rows(parameters["entity"], ids) for ids in (h, t))
        # A step may have one relation, and then one matrix.
        first = r[:1] if bool((r == r[:1]).all()) else r
        moved = self.query(head, rows(parameters["relation"], first), at_tail=True)
        short = self.dura * (moved.square().sum(-1) + tail.square().sum(-1))
        return short if squares is None else squares + short

    def queries(self) -> Queries | None:
        """Products, and what keeps rows short; Mᵀh is at hand where only tails are asked for."""
        if self.dura and not self.reciprocal:
            return None
        return Queries(self.query, l2=self.l2, dura=self.dura)

    def query(self, anchor: Tensor, relation: Tensor, *, at_tail: bool) -> Tensor:
        """Mᵀh, or M t."""
        return apply(relation.mT if at_tail else relation, anchor)
