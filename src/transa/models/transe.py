"""TransE: f_r(h, t) = ‖h + r − t‖ (Bordes et al. 2013).

Also the energy of TransA (Jia et al. 2016, equation 5), which differs from TransE in its margin
alone. Parameters: d per entity, d per relation. Represents antisymmetric, inverse and composed
relations; a symmetric one only with r = 0, and 1-to-N ones only approximately.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from transa.models.about import About
from transa.models.energy import lengths
from transa.models.families import Translation, dissimilarity
from transa.models.fused import DistanceView, FusedSteps
from transa.models.tensors import Tensor, Tensors

# Training triples, in all and for each entity.
_SMALL, _SPARSE = 20_000, 10


@dataclass(frozen=True)
class TransEEnergy(Translation):
    """Translation: a relation moves its heads to its tails."""

    dim: int = 200

    name: ClassVar[str] = "transe"
    about: ClassVar[About] = About(
        formula="‖h + r − t‖",
        paper="Bordes 2013",
        learns=("antisymmetric", "inverse", "composition"),
    )
    recipe: ClassVar[Mapping[str, str | float]] = {
        "negatives": 32,
        "adversarial": 0.25,
        "lr": 0.2,
    }

    def dim_for(self, n_entities: int, n_triples: int) -> int:
        """A small and sparse graph has too few triples to fill many dimensions: it over-fits."""
        small = n_triples < _SMALL and n_triples < _SPARSE * n_entities
        return min(self.dim, 50) if small else self.dim

    def energies(
        self,
        tables: Mapping[str, NDArray[np.float32]],
        h: NDArray[np.int64],
        r: NDArray[np.int64],
        t: NDArray[np.int64],
    ) -> NDArray[np.float32]:
        """In NumPy, since to import PyTorch takes longer than most answers."""
        entity, relation = tables["entity"], tables["relation"]
        found: NDArray[np.float32] = lengths(entity[h] + relation[r] - entity[t], self.norm)
        return found

    def fused_steps(self) -> FusedSteps:
        """Four rows a step."""
        tables, dim = ("entity", "relation"), self.dim
        return FusedSteps("transe", tables, self.norm, dim, dim, listwise=True)

    def distance_view(self) -> DistanceView:
        """The tables are the points and translations themselves."""
        return DistanceView(self.norm)

    def energy(self, parameters: Tensors, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        """‖h + r − t‖ in the norm chosen."""
        entity, relation = parameters["entity"], parameters["relation"]
        return dissimilarity(entity[h] + relation[r] - entity[t], self.norm)
