"""Unstructured: f(h, t) = ‖h − t‖₂² (Bordes et al. 2012, 2014).

TransE without relations: entities that occur together lie close, whatever joins them. The control
that any use of relations must beat. Parameters: d per entity, none per relation. Represents
symmetric relations; cannot tell r(a, b) from r(b, a), nor one relation from another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from transa.models.about import About
from transa.models.algebra import rows
from transa.models.energy import (
    Energy,
    Parameters,
    Rows,
    Tables,
    right_angles,
    unit_rows,
    xavier_uniform,
)
from transa.models.families import dissimilarity
from transa.models.fused import DistanceView, FusedSteps
from transa.models.tensors import Tensor, Tensors


@dataclass(frozen=True)
class UnstructuredEnergy(Energy):
    """Closeness, and nothing else."""

    name: ClassVar[str] = "unstructured"
    tables: ClassVar[Mapping[str, Rows]] = {"entity": "entity"}
    about: ClassVar[About] = About(
        formula="‖h − t‖₂²",
        paper="Bordes 2012",
        per_relation="0",
        learns=("symmetric",),
    )
    recipe: ClassVar[Mapping[str, str | float]] = {"lr": 0.3}

    def draw(self, table: str, n: int, rng: np.random.Generator) -> NDArray[np.float32]:
        """As TransE's entities."""
        del table
        return unit_rows(xavier_uniform(rng, n, self.dim))

    def initialise(self, n_entities: int, n_relations: int, rng: np.random.Generator) -> Parameters:
        """At right angles where there is room for that.

        Then all are as far apart, and training has no chance neighbours to undo.
        """
        drawn = super().initialise(n_entities, n_relations, rng)
        if n_entities <= self.dim:
            drawn["entity"] = right_angles(drawn["entity"])
        return drawn

    def energy(self, parameters: Tensors, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        """‖h − t‖₂²; r only lends its shape."""
        entity = parameters["entity"]
        return dissimilarity(rows(entity, h) - rows(entity, t), "l2sq") + r * 0

    def fused_steps(self) -> FusedSteps:
        """Relations have no rows, so that none is read or moved."""
        return FusedSteps("unstructured", ("entity",), "l2sq", self.dim, self.dim)

    def distance_view(self) -> DistanceView:
        """The entities as they are, and a translation of nothing."""

        def seen(tables: Tables, r: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
            del r
            return tables["entity"], np.zeros_like(tables["entity"][0])

        return DistanceView("l2sq", seen)
