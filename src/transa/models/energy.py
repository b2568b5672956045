"""What a model is: named parameter tables and an energy f_r(h, t), lower is better."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from transa.declarations import Declared, setting
from transa.errors import ConfigError
from transa.models.about import About

if TYPE_CHECKING:
    from torch import Tensor

    from transa.models.fused import DistanceView, FusedSteps, Queries

Parameters: TypeAlias = dict[str, NDArray[np.float32]]
"""Tables by name. The first axis of each is as `Energy.tables` says."""

Tables: TypeAlias = Mapping[str, NDArray[np.float32]]
"""The same, to be read and not written."""

Rows: TypeAlias = Literal["entity", "relation", "shared"]
"""What a row of a table is of: an entity, a relation, or (the only row) all triples alike."""

Norm: TypeAlias = Literal["l1", "l2", "l2sq"]
NORMS: tuple[Norm, ...] = get_args(Norm)

MOST = 10**6
"""The largest size of anything that has one: no memory holds more, and no triples fill it."""

# Rows that are drawn or blended at a time, so that no second copy of a table is made.
ROWS_AT_A_TIME = 65536


@dataclass(frozen=True)
class Energy(Declared, ABC):
    """A model's hyper-parameters and its energy. Knows nothing of losses, margins or sampling.

    The parameters are not kept here but handed in, so that one set of arrays serves every engine,
    the model folder and any device. What a model has beyond its energy, for speed, are kernels:
    `energies` without PyTorch, `fused_steps` to train by, a `distance_view` to rank by. Every model
    has a table ``entity`` of one vector an entity.

    Attributes:
        name: what the model is called by, in config files and on the command line.
        tables: what the rows of each table are of.
        about: what `transa models` tells of it.
        recipe: settings of `transa.Recipe` in which this model's defaults differ.
        by_products: whether the energies of n questions and m candidates are matrix products, so
            that no (n, m, d) is made. Only then can the `softmax` loss be trained with.
        by_relation: whether a relation acts by a matrix, so that steps on triples that share it
            are cheaper.
    """

    dim: int = setting(100, "Length of an entity's vector.", least=1, most=MOST, search=2.0)
    _: KW_ONLY
    reciprocal: bool = setting(
        False,
        "Heads are asked for as tails of an inverse relation, with rows of its own.",
        "Every triple is trained on as (h, r, t) and as (t, r⁻¹, h), tails corrupted (Lacroix et "
        "al. 2018, Kazemi & Poole 2018); the energy of a triple is the mean of the two.",
        search=(False, True),
        neutral=False,
        panel="The model",
    )

    name: ClassVar[str]
    tables: ClassVar[Mapping[str, Rows]]
    about: ClassVar[About]
    recipe: ClassVar[Mapping[str, str | float]] = {}
    by_products: ClassVar[bool] = False
    by_relation: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.reciprocal and "relation" not in self.tables.values():
            raise ConfigError(f"{self.name} has no relations, so that none can have an inverse")

    def relation_rows(self, n_relations: int) -> int:
        """Rows of a table of relations: one each, and as many for their inverses."""
        return n_relations * (2 if self.reciprocal else 1)

    def dim_for(
        self,
        n_entities: int,  # noqa: ARG002 (for those who override it)
        n_triples: int,  # noqa: ARG002
    ) -> int:
        """The default `dim` for a graph of this size, used when none was given."""
        return self.dim

    @classmethod
    def by_size(
        cls,
        n_entities: int,  # noqa: ARG003 (for those who override it)
        n_triples: int,  # noqa: ARG003
        paired: float,  # noqa: ARG003
    ) -> Mapping[str, object]:
        """Settings of the model and of training that suit a graph of this size, if it has a rule.

        They stand in for what nobody has given; the fixed defaults stay those of config files.
        `paired` is the share of triples whose two entities are joined by another one as well.
        """
        return {}

    def __init_subclass__(cls) -> None:
        """An energy of its own needs kernels of its own: those of its parents compute another."""
        super().__init_subclass__()
        if "energy" in vars(cls):
            for kernel in ("energies", "fused_steps", "distance_view", "queries"):
                if kernel not in vars(cls):
                    setattr(cls, kernel, getattr(Energy, kernel))

    @abstractmethod
    def draw(self, table: str, n: int, rng: np.random.Generator) -> NDArray[np.float32]:
        """N fresh rows of a table, as the model's paper draws them."""

    def fill(self, table: str, rows: NDArray[np.float32], rng: np.random.Generator) -> None:
        """Fresh rows into memory that is given, some at a time: no second copy is made."""
        for first in range(0, len(rows), ROWS_AT_A_TIME):
            block = rows[first : first + ROWS_AT_A_TIME]
            block[...] = self.draw(table, len(block), rng)

    def initialise(self, n_entities: int, n_relations: int, rng: np.random.Generator) -> Parameters:
        """Fresh parameters: every table in turn."""
        sizes = self._sizes(n_entities, n_relations)
        drawn: Parameters = {}
        for table, of in self.tables.items():
            shape = self.draw(table, 0, rng).shape[1:]
            drawn[table] = np.empty((sizes[of], *shape), dtype=np.float32)
            self.fill(table, drawn[table], rng)
        return drawn

    def _sizes(self, n_entities: int, n_relations: int) -> dict[Rows, int]:
        """Rows of each kind of table."""
        relations = self.relation_rows(n_relations)
        return {"entity": n_entities, "relation": relations, "shared": 1}

    @abstractmethod
    def energy(self, parameters: Mapping[str, Tensor], h: Tensor, r: Tensor, t: Tensor) -> Tensor:
        """f_r(h, t) of id tensors of any shapes that broadcast against each other.

        Training and ranking ask about many candidates at once: r is (n, 1) and one of h and t too.
        What depends on those alone should be computed in their shape, before it meets the others.
        """

    def of_triples(
        self, parameters: Mapping[str, Tensor], h: Tensor, r: Tensor, t: Tensor
    ) -> Tensor:
        """The energy of whole triples: `energy`, or the mean of both ways to ask."""
        found = self.energy(parameters, h, r, t)
        if not self.reciprocal:
            return found
        return (found + self.energy(parameters, t, inverse_of(self, parameters, r), h)) / 2

    def energies(
        self,
        tables: Mapping[str, NDArray[np.float32]],
        h: NDArray[np.int64],
        r: NDArray[np.int64],
        t: NDArray[np.int64],
    ) -> NDArray[np.float32]:
        """`energy` of arrays, for those who train nothing."""
        import torch

        from transa.models.tensors import as_tensors

        ids = map(torch.from_numpy, (h, r, t))
        found: NDArray[np.float32] = self.energy(as_tensors(tables), *ids).numpy()
        return found

    def queries(self) -> Queries | None:
        """Questions as points among the entities, where the energy can be had from them."""
        return None

    def fused_steps(self) -> FusedSteps | None:
        """Training steps in Numba, where the model has them."""
        return None

    def distance_view(self) -> DistanceView | None:
        """The energy as a distance among points, where it is one."""
        return None

    def penalty(
        self,
        parameters: Mapping[str, Tensor],  # noqa: ARG002 (for those who override it)
        h: Tensor,  # noqa: ARG002
        r: Tensor,  # noqa: ARG002
        t: Tensor,  # noqa: ARG002
    ) -> Tensor | None:
        """What each true triple adds to its loss, (n,): soft constraints, regularisation."""
        return None

    def settle(self, parameters: Parameters) -> None:
        """Put whole tables where they must be, in place: the mean of such rows need not be."""

    def constrain(self, parameters: Mapping[str, Tensor], rows: Mapping[Rows, Tensor]) -> None:
        """Put the rows that a step has moved back where they must be, in place."""


def inverse_of(energy: Energy, tables: Mapping[str, Any], r: Any) -> Any:  # noqa: ANN401
    """The ids of the inverses of relations, whose rows follow those of all relations."""
    table = next(name for name, of in energy.tables.items() if of == "relation")
    return r + len(tables[table]) // 2


def check_tables(energy: Energy, parameters: Tables, n_entities: int, n_relations: int) -> None:
    """Refuse tables that are not those of the energy: a row an entity or relation, of float32."""
    if set(parameters) != set(energy.tables):
        raise ConfigError(
            f"{energy.name} has the tables {sorted(energy.tables)}, found {sorted(parameters)}"
        )
    rows = energy._sizes(n_entities, n_relations)
    for name, of in energy.tables.items():
        table = parameters[name]
        shape = energy.draw(name, 0, np.random.default_rng(0)).shape[1:]
        if table.shape != (rows[of], *shape) or table.dtype != np.float32:
            raise ConfigError(
                f"table {name!r} of {energy.name} does not fit {rows[of]} {of} rows of float32, "
                f"each of shape {shape}: it is {table.dtype} of shape {table.shape}"
            )


def xavier_uniform(rng: np.random.Generator, rows: int, dim: int) -> NDArray[np.float32]:
    """TransE's initialisation: uniform in ±6/√dim (Bordes et al. 2013, algorithm 1)."""
    bound = 6.0 / np.sqrt(dim)
    return rng.uniform(-bound, bound, size=(rows, dim)).astype(np.float32)


def normal(rng: np.random.Generator, *shape: int) -> NDArray[np.float32]:
    """Gaussian with variance 1 / (last axis): products with unit vectors are then of order 1."""
    return rng.normal(0.0, shape[-1] ** -0.5, size=shape).astype(np.float32)


def identities(n_relations: int, rows: int, columns: int) -> NDArray[np.float32]:
    """A matrix a relation that changes nothing yet (or cuts, or pads)."""
    made = np.zeros((n_relations, rows, columns), dtype=np.float32)
    diagonal = np.arange(min(rows, columns))
    made[:, diagonal, diagonal] = 1
    return made


def unit_rows(table: NDArray[np.float32]) -> NDArray[np.float32]:
    """The rows scaled to length 1 (L2); a zero row stays zero."""
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    return (table / np.where(lengths == 0, 1, lengths)).astype(np.float32)


def right_angles(table: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of length 1 that span what these do, each at right angles to all others."""
    turned: NDArray[np.float32] = np.linalg.qr(table.T)[0].T
    return np.ascontiguousarray(turned, dtype=np.float32)


def lengths(vectors: NDArray[np.floating], norm: Norm) -> NDArray[np.floating]:
    """‖·‖₁, ‖·‖₂ or ‖·‖₂² of every row."""
    if norm == "l1":
        absolute: NDArray[np.floating] = np.abs(vectors).sum(axis=1)
        return absolute
    squared: NDArray[np.floating] = (vectors * vectors).sum(axis=1)
    return squared if norm == "l2sq" else np.sqrt(squared)
