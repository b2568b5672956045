"""RotatE: f_r(h, t) = Σᵢ |hᵢ rᵢ − tᵢ| with rᵢ = e^{iθᵢ} in complex numbers (Sun et al. 2019).

A relation turns each coordinate of its heads by an angle. Parameters: 2d per entity, d per relation
(the angles). Represents symmetric (θᵢ 0 or π), antisymmetric, inverse (−θ) and composed relations
(θ + θ′); 1-to-N ones only approximately, as TransE.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from transa.models.about import About
from transa.models.algebra import head_first, rows
from transa.models.complex import complex_product
from transa.models.energy import Energy, Rows, unit_rows, xavier_uniform
from transa.models.families import SMALL
from transa.models.fused import Queries
from transa.models.tensors import Tensor, Tensors


@dataclass(frozen=True)
class RotatEEnergy(Energy):
    """Rotation: a relation turns its heads into its tails."""

    name: ClassVar[str] = "rotate"
    tables: ClassVar[Mapping[str, Rows]] = {"entity": "entity", "angle": "relation"}
    about: ClassVar[About] = About(
        formula="Σᵢ |hᵢ rᵢ − tᵢ|, rᵢ = e^{iθᵢ}",
        paper="Sun 2019",
        per_entity="2d",
        learns=("symmetric", "antisymmetric", "inverse", "composition"),
    )

    recipe: ClassVar[Mapping[str, str | float]] = {"constraint": "none", "batch": 256, "lr": 0.3}

    @classmethod
    def by_size(cls, n_entities: int, n_triples: int, paired: float) -> Mapping[str, object]:
        """Questions against many entities at once, and a rate that falls."""
        del n_entities, paired
        if n_triples < SMALL:
            return {}
        return {
            "loss": "softmax",
            "optimiser": "adam",
            "margin": 0.0,
            "dim": 128,
            "lr": 0.02,
            "lr_decay": "linear",
            "batch": 500,
            "negatives": 512,
            "epochs": 25,
            "validate_every": 5,
        }

    def draw(self, table: str, n: int, rng: np.random.Generator) -> NDArray[np.float32]:
        """Unit entities, angles of any size."""
        if table == "entity":
            return unit_rows(xavier_uniform(rng, n, 2 * self.dim))
        return rng.uniform(-np.pi, np.pi, (n, self.dim)).astype(np.float32)

    def energy(self, parameters: Tensors, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        """Σᵢ |hᵢ rᵢ − tᵢ|, or Σᵢ |hᵢ − tᵢ r̄ᵢ|: either side may be turned, since lengths stay."""
        head, tail = (rows(parameters["entity"], ids) for ids in (h, t))
        angle = rows(parameters["angle"], r)
        if head_first(h, r, t):
            head = self.query(head, angle, at_tail=True)
        else:
            tail = self.query(tail, angle, at_tail=False)
        real, imaginary = (head - tail).chunk(2, dim=-1)
        squares = real * real + imaginary * imaginary
        # A root has no derivative at 0; clamped it has one, 0. (So has vector_norm, but slowly.)
        return squares.clamp(min=1e-30).sqrt().sum(-1)

    def queries(self) -> Queries:
        """Distances from the anchors, turned."""
        return Queries(self.query, relation="angle", moduli=True)

    def query(self, anchor: Tensor, relation: Tensor, *, at_tail: bool) -> Tensor:
        """The anchor turned forth, or back."""
        sine = relation.sin()
        return complex_product(anchor, relation.cos(), sine if at_tail else -sine)
