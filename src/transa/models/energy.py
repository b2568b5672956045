"""What a model is: named parameter tables and an energy f_r(h, t), lower is better."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from transa.errors import ConfigError

if TYPE_CHECKING:
    from torch import Tensor

Parameters: TypeAlias = dict[str, NDArray[np.float32]]
"""Tables by name. The first axis of each is entities or relations, as `Energy.tables` says."""

Norm: TypeAlias = Literal["l1", "l2", "l2sq"]
NORMS: tuple[Norm, ...] = ("l1", "l2", "l2sq")


@dataclass(frozen=True)
class Energy(ABC):
    """A model's hyper-parameters and its energy. Knows nothing of losses, margins or sampling.

    The parameters are not kept here but handed in, so that one set of arrays serves both engines,
    the store and any device.
    """

    dim: int = 100

    name: ClassVar[str]
    tables: ClassVar[Mapping[str, Literal["entity", "relation"]]]

    def __post_init__(self) -> None:
        if self.dim < 1:
            raise ConfigError(f"dim is at least 1, found {self.dim}")

    @abstractmethod
    def initialise(self, n_entities: int, n_relations: int, rng: np.random.Generator) -> Parameters:
        """Fresh parameters, as the model's paper draws them."""

    @abstractmethod
    def energy(self, parameters: Mapping[str, Tensor], h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        """f_r(h, t) of id tensors of any shapes that broadcast against each other."""


def xavier_uniform(rng: np.random.Generator, rows: int, dim: int) -> NDArray[np.float32]:
    """TransE's initialisation: uniform in ±6/√dim (Bordes et al. 2013, algorithm 1)."""
    bound = 6.0 / np.sqrt(dim)
    return rng.uniform(-bound, bound, size=(rows, dim)).astype(np.float32)


def unit_rows(table: NDArray[np.float32]) -> NDArray[np.float32]:
    """The rows scaled to length 1 (L2); a zero row stays zero."""
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    return (table / np.where(lengths == 0, 1, lengths)).astype(np.float32)


def lengths(vectors: NDArray[np.floating], norm: Norm) -> NDArray[np.floating]:
    """‖·‖₁, ‖·‖₂ or ‖·‖₂² of every row."""
    if norm == "l1":
        absolute: NDArray[np.floating] = np.abs(vectors).sum(axis=1)
        return absolute
    squared: NDArray[np.floating] = (vectors * vectors).sum(axis=1)
    return squared if norm == "l2sq" else np.sqrt(squared)
