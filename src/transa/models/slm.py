"""SLM, Single Layer Model: f_r(h, t) = −uᵀ tanh(R₁ h + R₂ t) (Socher et al. 2013).

A small network a relation. Parameters: d per entity, 2dk + k per relation. The two ends meet in the
tanh only: it represents antisymmetric relations and ends that are typical of a relation, and joins
the ends as far as k hidden units can.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from transa.declarations import setting
from transa.models.about import About
from transa.models.algebra import apply, dot, rows
from transa.models.energy import MOST, Rows
from transa.models.families import Similarity
from transa.models.tensors import Tensor, Tensors


@dataclass(frozen=True)
class SLMEnergy(Similarity):
    """A tanh layer over both ends."""

    hidden: int = setting(50, "How many units the layer has, k.", least=1, most=MOST)

    name: ClassVar[str] = "slm"
    by_relation: ClassVar[bool] = True
    tables: ClassVar[Mapping[str, Rows]] = {
        "entity": "entity",
        "left": "relation",
        "right": "relation",
        "output": "relation",
    }
    about: ClassVar[About] = About(
        formula="−uᵀ tanh(R₁h + R₂t)",
        paper="Socher 2013",
        per_relation="2dk + k",
        size="hidden",
        learns=("antisymmetric",),
    )

    recipe: ClassVar[Mapping[str, str | float]] = {
        **Similarity.recipe,
        "batch": 256,
        "optimiser": "adam",
        "lr": 0.01,
    }

    def shape(self, table: str) -> tuple[int, ...]:
        """Vectors, and matrices from d to k."""
        shapes = {"entity": (self.dim,), "output": (self.hidden,)}
        return shapes.get(table, (self.hidden, self.dim))

    def energy(self, parameters: Tensors, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        """−uᵀ tanh(R₁ h + R₂ t)."""
        entity, left, right, output = (parameters[name] for name in self.tables)
        head = apply(rows(left, r), rows(entity, h))
        tail = apply(rows(right, r), rows(entity, t))
        return -dot(rows(output, r), (head + tail).tanh())
