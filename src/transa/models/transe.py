"""TransE: f_r(h, t) = ‖h + r − t‖ (Bordes et al. 2013).

Also the energy of TransA (Jia et al. 2016, equation 5), which differs from TransE in its margin
alone. Parameters: d per entity, d per relation. Represents antisymmetric, inverse and composed
relations; a symmetric one only with r = 0, and 1-to-N ones only approximately.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from transa.models.about import About
from transa.models.energy import Parameters, Rows, unit_rows, xavier_uniform
from transa.models.families import Translation, dissimilarity

if TYPE_CHECKING:
    from torch import Tensor

# Training triples, in all and for each entity.
_SMALL, _SPARSE = 20_000, 10


@dataclass(frozen=True)
class TransEEnergy(Translation):
    """Translation: a relation moves its heads to its tails."""

    dim: int = 200

    name: ClassVar[str] = "transe"
    tables: ClassVar[Mapping[str, Rows]] = {"entity": "entity", "relation": "relation"}
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

    def initialise(self, n_entities: int, n_relations: int, rng: np.random.Generator) -> Parameters:
        """Uniform in ±6/√d, then to unit length: relations once and for all, entities to begin."""
        return {
            "entity": unit_rows(xavier_uniform(rng, n_entities, self.dim)),
            "relation": unit_rows(xavier_uniform(rng, n_relations, self.dim)),
        }

    def energy(self, parameters: Mapping[str, Tensor], h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        """‖h + r − t‖ in the norm chosen."""
        entity, relation = parameters["entity"], parameters["relation"]
        return dissimilarity(entity[h] + relation[r] - entity[t], self.norm)
