"""The fused engine: Numba on the CPU, for the translation family."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from transa.kernels import losses as loss_kernels
from transa.kernels import optimisers as optimiser_kernels
from transa.kernels.distances import L1, L2, L2SQ
from transa.kernels.margins import TripleMargins
from transa.kernels.random import generator_state
from transa.kernels.rule import Rule, scratch
from transa.kernels.threads import over_spans
from transa.kernels.translation import onto_sphere, train_blocks_for
from transa.models.energy import Energy, Norm, Parameters
from transa.models.transe import TransEEnergy
from transa.training.optimisers import State
from transa.training.recipe import Loss, Optimiser, Recipe
from transa.training.work import BLOCK, Work

NORMS: dict[Norm, int] = {"l1": L1, "l2": L2, "l2sq": L2SQ}
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


def applies(energy: Energy, recipe: Recipe) -> bool:
    """Whether there is a fused kernel for this energy on this device."""
    # A subclass may have an energy of its own.
    return type(energy) is TransEEnergy and recipe.device == "cpu"


def rule_of(energy: TransEEnergy, recipe: Recipe) -> Rule:
    """The settings of a step as the kernel takes them."""
    return Rule(
        dim=energy.dim,
        negatives=recipe.negatives,
        norm=NORMS[energy.norm],
        loss=LOSSES[recipe.loss],
        optimiser=OPTIMISERS[recipe.optimiser],
        ball=recipe.constraint == "ball",
        rate=np.float32(recipe.lr),
        adversarial=np.float32(recipe.adversarial),
        gamma=np.float32(recipe.gamma or 0),
    )


def table_of(name: str, parameters: Parameters, state: State) -> optimiser_kernels.Table:
    """A parameter table and its optimiser state; what the optimiser does not keep is empty."""
    no_rows, no_table = np.empty(0, np.float32), np.empty((0, 0), np.float32)
    return optimiser_kernels.Table(
        rows=parameters[name],
        sums=state.get(f"{name}.sums", no_rows),
        m=state.get(f"{name}.m", no_table),
        v=state.get(f"{name}.v", no_table),
        counts=state.get(f"{name}.counts", no_rows),
    )


class FusedEngine:
    """Steps in place on the arrays it is given, one triple at a time, threads without locks."""

    def __init__(
        self, energy: TransEEnergy, recipe: Recipe, parameters: Parameters, state: State, work: Work
    ) -> None:
        self._rule = rule = rule_of(energy, recipe)
        self._train_blocks = train_blocks_for(
            rule.dim, rule.negatives, rule.norm, rule.loss, rule.optimiser, rule.ball
        )
        self._entity = table_of("entity", parameters, state)
        self._relation = table_of("relation", parameters, state)
        self._work, self._recipe = work, recipe

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
                self._entity,
                self._relation,
                self._work.triples,
                blocks[start:stop],
                BLOCK,
                self._work.known,
                margins,
                self._rule,
                generator_state(*key, number),
                scratch(self._entity.rows.shape[1], self._recipe.negatives, BLOCK),
            )

        return sum(over_spans(span, len(blocks), threads, spans_each=_SPANS_EACH))

    def onto_sphere(self) -> None:
        """Put every entity on the unit sphere."""
        rows = self._entity.rows
        onto_sphere(rows, 0, len(rows))

    def synchronise(self) -> None:
        """Nothing to do: the arrays are the ones that are trained."""
