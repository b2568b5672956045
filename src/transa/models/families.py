"""What models have in common: translations measure a distance, similarities a product."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from transa.errors import ConfigError
from transa.models.energy import NORMS, Energy, Norm, not_negative

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Translation(Energy):
    """A relation moves its heads to its tails, in a space that all entities are seen in.

    Has the tables ``entity`` and ``relation``, of points and translations: what the paper's margins
    are computed from.
    """

    norm: Norm = "l1"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.norm not in NORMS:
            raise ConfigError(f"norm is one of {', '.join(NORMS)}; found {self.norm!r}")


@dataclass(frozen=True)
class Similarity(Energy):
    """Minus a plausibility, which is a product and so of either sign: 0 says neither yes nor no.

    Attributes:
        l2: weight of the squared lengths of a triple's own rows, added to its loss. It stands in
            for the ball that keeps distances in bounds.
    """

    l2: float = 0.0

    recipe: ClassVar[Mapping[str, str | float]] = {"constraint": "none", "margin": 0.0}

    def __post_init__(self) -> None:
        super().__post_init__()
        not_negative("l2", self.l2)

    def penalty(
        self, parameters: Mapping[str, Tensor], h: Tensor, r: Tensor, t: Tensor
    ) -> Tensor | None:
        """λ (‖h‖² + ‖t‖² + ‖r‖²), over all tables of entities and relations."""
        if self.l2 == 0:
            return None
        of = {"entity": (h, t), "relation": (r,), "shared": ()}
        squares = [
            parameters[name][ids].square().flatten(1).sum(1)
            for name, rows in self.tables.items()
            for ids in of[rows]
        ]
        return self.l2 * sum(squares[1:], squares[0])


def dissimilarity(difference: Tensor, norm: Norm) -> Tensor:
    """‖·‖₁, ‖·‖₂ or ‖·‖₂² over the last axis."""
    if norm == "l1":
        return difference.abs().sum(-1)
    squared = (difference * difference).sum(-1)
    return squared if norm == "l2sq" else squared.sqrt()
