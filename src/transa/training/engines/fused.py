"""The fused engine: Numba on the CPU, for the translation family."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transa.graph.sampling import BLOCK
from transa.kernels.distances import NORM_CODES
from transa.kernels.margins.readings import TripleMargins
from transa.kernels.random import generator_state
from transa.kernels.threads import over_spans
from transa.kernels.training import losses as loss_kernels
from transa.kernels.training import optimisers as optimiser_kernels
from transa.kernels.training import transe, transh, transr, unstructured
from transa.kernels.training.projected import images
from transa.kernels.training.step import Rule, scratch
from transa.models.energy import Energy, Parameters
from transa.models.families import Translation
from transa.models.transe import TransEEnergy
from transa.models.transh import TransHEnergy
from transa.models.transr import TransREnergy
from transa.models.unstructured import UnstructuredEnergy
from transa.settings.recipe import Loss, Optimiser, Recipe
from transa.training.engines.optimisers import State
from transa.training.work import Work

LOSSES: dict[Loss, int] = {
    "hinge": loss_kernels.HINGE,
    "softplus": loss_kernels.SOFTPLUS,
    "logistic": loss_kernels.LOGISTIC,
}
OPTIMISERS: dict[Optimiser, int] = {
    "sgd": optimiser_kernels.SGD,
    "adagrad": optimiser_kernels.ADAGRAD,
    "adam": optimiser_kernels.ADAM,
}

# Parts of a chunk that a thread takes, one after the other.
_SPANS_EACH = 4


@dataclass(frozen=True)
class Kernel:
    """What the engine has to know of a model's kernel.

    Attributes:
        train_blocks_for: compiles it, for the first six of a `Rule`; TransR's also for the
            dimensions of its spaces.
        tables: the parameters that it is handed, in this order.
        has_images: whether it needs room for what relations make of the entities.
    """

    train_blocks_for: Callable[..., Callable[..., float]]
    tables: tuple[str, ...]
    has_images: bool


KERNELS: dict[type[Energy], Kernel] = {
    TransEEnergy: Kernel(transe.train_blocks_for, ("entity", "relation"), has_images=False),
    UnstructuredEnergy: Kernel(unstructured.train_blocks_for, ("entity",), has_images=False),
    TransHEnergy: Kernel(
        transh.train_blocks_for, ("entity", "relation", "normal"), has_images=True
    ),
    TransREnergy: Kernel(
        transr.train_blocks_for, ("entity", "relation", "projection"), has_images=True
    ),
}


def applies(energy: Energy, recipe: Recipe) -> bool:
    """Whether there is a fused kernel for this energy on this device, and for this recipe."""
    # By its very type: a subclass may have an energy of its own.
    return type(energy) in KERNELS and recipe.device == "cpu" and recipe.dropout == 0


def rule_of(energy: Energy, recipe: Recipe) -> Rule:
    """The settings of a step as the kernel takes them."""
    return Rule(
        dim=energy.dim,
        negatives=recipe.negatives,
        norm=NORM_CODES[energy.norm if isinstance(energy, Translation) else "l2sq"],
        loss=LOSSES[recipe.loss],
        optimiser=OPTIMISERS[recipe.optimiser],
        ball=recipe.constraint == "ball",
        rate=np.float32(recipe.lr),
        adversarial=np.float32(recipe.adversarial),
        gamma=np.float32(recipe.gamma or 0),
        soft=np.float32(energy.soft if isinstance(energy, TransHEnergy) else 0),
    )


def compiled(energy: Energy, rule: Rule) -> Callable[..., float]:
    """The training loop for this model and rule."""
    known = (rule.dim, rule.negatives, rule.norm, rule.loss, rule.optimiser, rule.ball)
    own = (energy.relation_dim,) if isinstance(energy, TransREnergy) else ()
    return KERNELS[type(energy)].train_blocks_for(*known, *own)


def rooms(energy: Energy, k: int, block_size: int = 0) -> tuple[Any, ...]:
    """Fresh room for one thread, as the model's kernel takes it."""
    space = energy.relation_dim if isinstance(energy, TransREnergy) else energy.dim
    room = scratch(space, k, block_size)
    if not KERNELS[type(energy)].has_images:
        return (room,)
    map_size = space * energy.dim if isinstance(energy, TransREnergy) else energy.dim
    return room, images(energy.dim, space, map_size, k)


def table_of(name: str, parameters: Parameters, state: State) -> optimiser_kernels.Table:
    """A parameter table and its optimiser state; what the optimiser does not keep is empty.

    A matrix is a row like any other, its weights one after the other.
    """
    no_rows, no_table = np.empty(0, np.float32), np.empty((0, 0), np.float32)
    rows = parameters[name]
    flat = (len(rows), rows[0].size)
    return optimiser_kernels.Table(
        rows=rows.reshape(flat),
        sums=state.get(f"{name}.sums", no_rows),
        m=state[f"{name}.m"].reshape(flat) if f"{name}.m" in state else no_table,
        v=state[f"{name}.v"].reshape(flat) if f"{name}.v" in state else no_table,
        counts=state.get(f"{name}.counts", no_rows),
    )


def tables_of(
    energy: Energy, parameters: Parameters, state: State
) -> tuple[optimiser_kernels.Table, ...]:
    """The tables as the model's kernel takes them."""
    return tuple(table_of(name, parameters, state) for name in KERNELS[type(energy)].tables)


class FusedEngine:
    """Steps in place on the arrays it is given, one triple at a time, threads without locks."""

    def __init__(
        self, energy: Energy, recipe: Recipe, parameters: Parameters, state: State, work: Work
    ) -> None:
        self._energy, self._recipe, self._work = energy, recipe, work
        self._rule = rule_of(energy, recipe)
        self._train_blocks = compiled(energy, self._rule)
        self._tables = tables_of(energy, parameters, state)
        self._entities = parameters["entity"]

    def run(
        self,
        blocks: NDArray[np.int64],
        margins: TripleMargins,
        key: tuple[int, ...],
        threads: int,
    ) -> float:
        """Train on blocks of triples; the sum of their losses."""

        def span(number: int, start: int, stop: int) -> float:
            return self._train_blocks(
                *self._tables,
                self._work.triples,
                blocks[start:stop],
                BLOCK,
                self._work.known,
                margins,
                self._rule,
                generator_state(*key, number),
                *rooms(self._energy, self._recipe.negatives, BLOCK),
            )

        return sum(over_spans(span, len(blocks), threads, spans_each=_SPANS_EACH))

    def onto_sphere(self) -> None:
        """Put every entity on the unit sphere."""
        transe.onto_sphere(self._entities)

    def synchronise(self) -> None:
        """Nothing to do: the arrays are the ones that are trained."""
