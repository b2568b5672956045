"""What a run would need of memory, reckoned before any of it is taken."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod

import numpy as np

from transa.errors import ConfigError, TooLargeError
from transa.files.memory import check_memory
from transa.graph import Graph
from transa.models.energy import ROWS_AT_A_TIME, Energy
from transa.settings.recipe import Recipe
from transa.training.engines import engine_for

_FLOAT, _DOUBLE = 4, 8
# Of a training triple, at the least: a copy, what is known of it from both sides, its margins.
_A_TRIPLE = 60
# Copies of rows of the optimiser's memory.
_MOMENTS = {"adam": 2}
# Negatives that are let pass on the smallest of graphs, where the same ones are drawn many times.
_MANY = 10_000
# Numbers that a step has for each of its energies: ids, energies, their gradients.
_AN_ENERGY = 8


def check_room(energy: Energy, recipe: Recipe, graph: Graph) -> None:
    """Refuse a run that would not fit. What is reckoned is less than what is used, never more.

    Raises:
        TooLargeError: says what it would need, what there is, and what takes less.
    """
    n_relations = energy.relation_rows(graph.n_relations)
    n_rows = {"entity": graph.n_entities, "relation": n_relations, "shared": 1}
    rows = {name: n_rows[of] for name, of in energy.tables.items()}
    sizes = {name: _row_size(energy, name) for name in rows}
    tables = _FLOAT * sum(rows[name] * sizes[name] for name in rows)
    looks = bool(len(graph.valid) and recipe.validate_every)
    copies = 1 + _MOMENTS.get(recipe.optimiser, 0) + recipe.average + looks
    training = copies * tables + _A_TRIPLE * len(graph.train) + _a_step(energy, recipe, graph)
    # Rows are drawn in double precision, some at a time.
    drawing = tables + _DOUBLE * max(min(rows[name], ROWS_AT_A_TIME) * sizes[name] for name in rows)
    check_memory(
        max(training, drawing),
        f"{energy.name} with dim {energy.dim:,} and {recipe.negatives:,} negatives on "
        f"{graph.n_entities:,} entities",
        "fewer dimensions (dim), negatives or triples a step (batch) take less",
    )


@contextmanager
def allocations_told() -> Iterator[None]:
    """What PyTorch says where memory runs out after all, as the error that it is.

    Raises:
        TooLargeError: says what takes less.
    """
    try:
        yield
    except RuntimeError as error:
        if "allocate memory" not in str(error) and "out of memory" not in str(error):
            raise
        raise TooLargeError(
            "there is not enough memory for a training step; fewer dimensions (dim), negatives or "
            "triples a step (batch) take less"
        ) from None


def check_negatives(energy: Energy, recipe: Recipe, graph: Graph) -> None:
    """Refuse to draw for each triple many more corruptions than there can be: it would never end.

    Engines that draw for a whole batch take no more than there are.

    Raises:
        ConfigError: says how many are enough.
    """
    most = max(graph.n_entities, _MANY)
    if engine_for(energy, recipe).name in ("autograd", "fused") and recipe.negatives > most:
        raise ConfigError(
            f"negatives={recipe.negatives:,}: of {graph.n_entities:,} entities, no triple has so "
            f"many corruptions; at most {most:,} are drawn for each"
        )


def _row_size(energy: Energy, table: str) -> int:
    try:
        return prod(energy.draw(table, 0, np.random.default_rng(0)).shape[1:])
    except MemoryError:
        raise TooLargeError(
            f"{energy.name} with dim {energy.dim:,}: there is not enough memory for one row of its "
            f"table {table!r}; fewer dimensions (dim) take less"
        ) from None


def _a_step(energy: Energy, recipe: Recipe, graph: Graph) -> int:
    """Bytes that a step allocates."""
    engine, n = engine_for(energy, recipe).name, min(recipe.batch, len(graph.train))
    candidates = min(recipe.negatives, graph.n_entities)
    if engine == "softmax":
        return n * candidates * 2 * _FLOAT
    if engine == "direct":
        return candidates * energy.dim * _FLOAT
    if engine == "autograd" and recipe.device == "cpu" and not energy.by_relation:
        return n * recipe.negatives * (_AN_ENERGY + energy.dim) * _FLOAT
    return 0
