"""What models have in common: translations measure a distance, similarities a product."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from transa.declarations import setting
from transa.models.energy import Energy, Norm, Rows, normal, unit_rows, xavier_uniform
from transa.models.tensors import Tensor, Tensors

SMALL, FEW, MANY = 20_000, 50_000, 200_000
"""Training triples below which the fixed defaults serve, fewer epochs do, and more is learnt."""


@dataclass(frozen=True)
class Translation(Energy):
    """A relation moves its heads to its tails, in a space that all entities are seen in.

    Has the tables ``entity`` and ``relation``, of points and translations: what the paper's margins
    are computed from.
    """

    norm: Norm = setting("l1", "Norm of a translation's energy.")

    tables: ClassVar[Mapping[str, Rows]] = {"entity": "entity", "relation": "relation"}

    def draw(self, table: str, n: int, rng: np.random.Generator) -> NDArray[np.float32]:
        """Uniform in ±6/√d, then to unit length: relations once and for all, entities to begin."""
        del table
        return unit_rows(xavier_uniform(rng, n, self.dim))


@dataclass(frozen=True)
class Similarity(Energy):
    """Minus a plausibility, which is a product and so of either sign: 0 says neither yes nor no."""

    l2: float = setting(
        0.0,
        "Weight of the squared lengths of a triple's own rows, added to its loss.",
        "It stands in for the ball that keeps distances in bounds.",
        least=0,
        search=10.0,
    )

    recipe: ClassVar[Mapping[str, str | float]] = {"constraint": "none", "margin": 0.0}

    def shape(self, table: str) -> tuple[int, ...]:
        """The shape of a row of a table, d numbers unless said otherwise."""
        del table
        return (self.dim,)

    def draw(self, table: str, n: int, rng: np.random.Generator) -> NDArray[np.float32]:
        """Gaussian; biases are 0."""
        if table.endswith("bias"):
            return np.zeros((n, *self.shape(table)), np.float32)
        return normal(rng, n, *self.shape(table))

    def penalty(self, parameters: Tensors, h: Tensor, r: Tensor, t: Tensor) -> Tensor | None:
        """λ (‖h‖² + ‖t‖² + ‖r‖²), over all tables of entities and relations."""
        if self.l2 == 0:
            return None
        return self.l2 * self._per_triple(parameters, _squares, h, r, t)

    def _per_triple(
        self,
        parameters: Tensors,
        size: Callable[[Tensor], Tensor],
        h: Tensor,
        r: Tensor,
        t: Tensor,
    ) -> Tensor:
        """The sizes of a triple's own rows, summed; each row is measured once, however many ask."""
        total = h.new_zeros(()).to(parameters["entity"].dtype)
        for name, kind in self.tables.items():
            if kind != "shared":
                measured = size(parameters[name])
                ids = (h, t) if kind == "entity" else (r,)
                total = total + sum(measured[which] for which in ids)
        return total


@dataclass(frozen=True)
class Product(Similarity):
    """A similarity whose energies, of many questions and candidates, are matrix products.

    So all are compared at once, by the softmax loss. Its settings were chosen on the validation
    splits of kinship and nations; see experiments/log.md.
    """

    by_products: ClassVar[bool] = True
    recipe: ClassVar[Mapping[str, str | float]] = {
        **Similarity.recipe,
        "loss": "softmax",
        "negatives": 2048,
        "batch": 256,
        "optimiser": "adam",
        "lr": 0.01,
    }


@dataclass(frozen=True)
class Trilinear(Product):
    """A sum of products of three numbers, one of each vector."""

    tables: ClassVar[Mapping[str, Rows]] = {"entity": "entity", "relation": "relation"}

    n3: float = setting(
        0.01,
        "Weight of the cubed absolute values of a triple's own rows, added to its loss.",
        "The nuclear 3-norm, which favours few factors (Lacroix et al. 2018).",
        least=0,
        search=10.0,
    )

    @classmethod
    def by_size(cls, n_entities: int, n_triples: int, paired: float) -> Mapping[str, object]:
        """Reciprocal relations, a rate that falls, and as much n3 as the graph needs.

        Where entities have few triples, each must be held the shorter: 0.2 over their number. A
        large graph has more that is not to be learnt by heart, unless most of its pairs are joined
        twice. It is what searches found (Lacroix et al. 2018): 0.1 on WN18RR, 0.05 on WN18 and
        FB15k-237, less than 0.01 on FB15K.
        """
        if n_triples < SMALL:
            return {}
        density = n_triples / n_entities
        by_heart = paired > 0.6 and density > 10
        n3 = 0.05 if n_triples > MANY and not by_heart else 0.2 / density
        few = n_triples < FEW
        return {
            "loss": "softmax",
            "optimiser": "adam",
            "reciprocal": True,
            "dim": 128 if few else 256,
            "n3": float(f"{n3:.2g}"),
            "lr": 0.01,
            "lr_decay": "linear",
            "batch": 250 if few else 500,
            "negatives": 4096 if few else 1024,
            "epochs": 25 if few else 30,
            "validate_every": 5 if few else 10,
        }

    def penalty(self, parameters: Tensors, h: Tensor, r: Tensor, t: Tensor) -> Tensor | None:
        """The squared lengths, and λ (‖h‖₃³ + ‖t‖₃³ + ‖r‖₃³)."""
        squares = super().penalty(parameters, h, r, t)
        if self.n3 == 0:
            return squares
        cubes = self.n3 * self._per_triple(parameters, self.cubes, h, r, t)
        return cubes if squares is None else squares + cubes

    @staticmethod
    def cubes(table: Tensor) -> Tensor:
        """‖·‖₃³ of every row."""
        return table.abs().pow(3).sum(1)


def _squares(table: Tensor) -> Tensor:
    """‖·‖₂² of every row, whatever its shape."""
    return table.square().flatten(1).sum(1)


def absolute_distance(one: Tensor, other: Tensor) -> Tensor:
    """‖x − y‖₁; of n questions (n, 1, k) and m candidates (1, m, k) with no (n, m, k) made."""
    import torch

    if one.dim() == 3 and one.shape[1] == other.shape[0] == 1:
        return torch.cdist(one[:, 0], other[0], p=1)
    if one.dim() == 3 and one.shape[0] == other.shape[1] == 1:
        return torch.cdist(other[:, 0], one[0], p=1)
    return dissimilarity(one - other, "l1")


def dissimilarity(difference: Tensor, norm: Norm) -> Tensor:
    """‖·‖₁, ‖·‖₂ or ‖·‖₂² over the last axis."""
    if norm == "l1":
        return difference.abs().sum(-1)
    squared = (difference * difference).sum(-1)
    return squared if norm == "l2sq" else squared.sqrt()
