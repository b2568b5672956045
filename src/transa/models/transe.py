"""TransE: f_r(h, t) = ‖h + r − t‖ (Bordes et al. 2013).

Also the energy of TransA (Jia et al. 2016, equation 5), which differs from TransE in its margin
alone. Parameters: d per entity, d per relation. Represents antisymmetric, inverse and composed
relations; a symmetric one only with r = 0, and 1-to-N ones only approximately.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from transa.errors import ConfigError
from transa.models.energy import NORMS, Energy, Norm, Parameters, unit_rows, xavier_uniform

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class TransEEnergy(Energy):
    """Translation: a relation moves its heads to its tails."""

    norm: Norm = "l1"

    name: ClassVar[str] = "transe"
    tables: ClassVar[Mapping[str, Literal["entity", "relation"]]] = {
        "entity": "entity",
        "relation": "relation",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.norm not in NORMS:
            raise ConfigError(f"norm is one of {', '.join(NORMS)}; found {self.norm!r}")

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


def dissimilarity(difference: Tensor, norm: Norm) -> Tensor:
    """‖·‖₁, ‖·‖₂ or ‖·‖₂² over the last axis."""
    if norm == "l1":
        return difference.abs().sum(-1)
    squared = (difference * difference).sum(-1)
    return squared if norm == "l2sq" else squared.sqrt()
