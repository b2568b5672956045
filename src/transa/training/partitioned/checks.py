"""What a run in partitions asks for before it begins."""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import asdict, replace

import numpy as np

from transa.errors import ConfigError
from transa.files.memory import available_memory
from transa.models.energy import Energy
from transa.prepared.graph import PreparedGraph
from transa.prepared.memory import WAYS, choose_at_hand
from transa.settings.recipe import Recipe
from transa.training.engines import engine_for
from transa.training.optimisers import fresh_state
from transa.training.reciprocal import check_sides

_ENGINES = ("fused", "listwise, fused")


def row_bytes(energy: Energy, recipe: Recipe) -> int:
    """Bytes of an entity: its rows, and what the optimiser keeps of them."""
    rng, tables = np.random.default_rng(0), energy.tables.items()
    one = {name: energy.draw(name, 1, rng) for name, of in tables if of == "entity"}
    state = fresh_state(one, recipe.optimiser)
    return sum(array.nbytes for array in (*one.values(), *state.values()))


def check_settings(energy: Energy, recipe: Recipe) -> None:
    """Refuse what cannot be trained in partitions; says what can.

    Raises:
        ConfigError: for the first such setting.
    """
    if engine_for(energy, recipe).name not in _ENGINES:
        raise ConfigError(
            "partitions are trained by the fused engine alone: choose transa, transe, transh, "
            "transr or unstructured, on the cpu, and the loss hinge, softplus, logistic or, for "
            "the first two, listwise"
        )
    if energy.reciprocal:
        check_sides(recipe)
    for name, only in (("same_position", (0.0,)), ("stop_on", ("mrr", "mr"))):
        if getattr(recipe, name) not in only:
            words = " or ".join(map(str, only))
            raise ConfigError(f"in partitions {name} is {words}; found {getattr(recipe, name)}")


def partitions_at_hand(
    energy: Energy, recipe: Recipe, graph: PreparedGraph, memory: int | None
) -> int:
    """How many partitions are in memory at a time: all that fit.

    Args:
        energy: the model.
        recipe: how to train it.
        graph: in partitions.
        memory: bytes that the run may take; what is free, unless told.

    Raises:
        TooLargeError: if not even two fit; says what would help.
    """
    given = available_memory() if memory is None else memory
    given = sys.maxsize if given is None else given
    return choose_at_hand(graph.layout, triples_of(energy, graph), row_bytes(energy, recipe), given)


def triples_of(energy: Energy, graph: PreparedGraph) -> int:
    """How many triples are trained on, inverses among them."""
    return graph.record.train * (WAYS if energy.reciprocal else 1)


def fingerprint(energy: Energy, recipe: Recipe, graph: PreparedGraph) -> str:
    """What must be the same for a run to go on; see `transa.training.checkpoint.fingerprint`."""
    epochs = 1 if recipe.lr_decay == "none" else recipe.epochs
    lasting = replace(recipe, epochs=epochs, threads=0)
    settings = [energy.name, asdict(energy), type(recipe.margin).__name__, asdict(lasting)]
    told = json.dumps([settings, graph.record.sums, graph.record.rows], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()
