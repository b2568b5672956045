"""New facts learnt without starting over: newcomers first, then those they have to do with.

Trained on are the new facts and, so that nothing is forgotten, many old ones near them. First only
the rows of what is new move, until they have their places among the others; then the entities of
the new facts move too, each the less the more it was taught before, as if training had gone on: by
Adagrad, with the sums that so many triples and epochs would have left. All other rows stay. If that
second part makes the validation split worse, it is not kept.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from transa.errors import TrainingError
from transa.kernels.threads import thread_count
from transa.models.energy import Energy, Parameters
from transa.settings.recipe import Recipe
from transa.training.interrupt import never
from transa.training.loop import Beginning, Run
from transa.training.updating.grown import Grown, Masks
from transa.training.validation import Validator

# Old facts for each new one.
REHEARSED = 20
# Epochs of newcomers, and of those they have to do with; the rate of either, which falls to 0.
NEWCOMERS, NEIGHBOURS = 6, 3
RATE = 0.05
# How much more firmly old rows stand than their triples alone would have them.
FIRM = 10.0
# Of the metric on validation, what the second part may cost.
_WORSE = 0.005
# Of alternating least squares, which solves for all rows at once.
_SWEEPS = 2


def updated(energy: Energy, recipe: Recipe, grown: Grown) -> Parameters:
    """The tables with the new facts learnt.

    Args:
        energy: the model.
        recipe: what it was trained by.
        grown: its graph and tables with the new facts.
    """
    lasting = replace(recipe, validate_every=0, average=False, device="cpu")
    if recipe.optimiser == "als":
        return _solved(energy, lasting, grown)
    lasting = replace(
        lasting, lr_decay="none", patience=Recipe.patience, optimiser="adagrad", lr=RATE
    )
    chosen = _chosen(grown, recipe.seed)
    run = Run(energy, lasting, grown.graph, None, Beginning(grown.tables, chosen))
    if any(mask.any() for mask in grown.fresh.values()):
        _learn(run, NEWCOMERS, grown.tables, grown.fresh)
    settled = _copy(run.parameters)
    _stand_firm(run, grown, chosen, recipe.epochs)
    _learn(run, NEIGHBOURS, settled, _moving(grown))
    after = _copy(run.parameters)
    return settled if _is_worse(energy, recipe, grown, settled, after) else after


def _solved(energy: Energy, recipe: Recipe, grown: Grown) -> Parameters:
    """A few sweeps from where the tables are."""
    every = np.ones(len(grown.graph.train), dtype=np.bool_)
    run = Run(energy, recipe, grown.graph, None, Beginning(grown.tables, every))
    # The first epoch would begin anew.
    run.epoch = 1
    for _ in range(_SWEEPS):
        run.one_epoch()
    return _copy(run.parameters)


def _chosen(grown: Grown, seed: int) -> NDArray[np.bool_]:
    """Per training triple, whether it is trained on: the new ones, and old ones near them."""
    train = grown.graph.train
    chosen = np.ones(len(train), dtype=np.bool_)
    first_new = len(train) - grown.n_facts
    chosen[:first_new] = False
    near = _moving(grown)["entity"]
    h, _, t = train[:first_new].T
    beside, others = (np.flatnonzero(each) for each in (near[h] | near[t], ~(near[h] | near[t])))
    rng = np.random.default_rng((seed, len(train)))
    old = np.concatenate([rng.permutation(beside), rng.permutation(others)])
    chosen[old[: REHEARSED * grown.n_facts]] = True
    return chosen


def _moving(grown: Grown) -> Masks:
    """What is new, and the entities of the new facts."""
    entities = grown.fresh["entity"].copy()
    entities[grown.facts[:, [0, 2]]] = True
    return {**grown.fresh, "entity": entities}


def _learn(run: Run, epochs: int, before: Parameters, moving: Masks) -> None:
    """So many epochs in which only some rows move."""
    tables = run.rows.energy.tables
    for epoch in range(epochs):
        run.change_recipe(replace(run.recipe, lr=RATE * (1 - epoch / epochs)))
        run.one_epoch()
        run.engine.synchronise()
        for name, table in run.parameters.items():
            kept = ~moving[tables[name]]
            table[kept] = before[name][kept]
    if not all(np.isfinite(table).all() for table in run.parameters.values()):
        raise TrainingError("the new facts led to vectors that are not finite; train anew")


def _stand_firm(run: Run, grown: Grown, chosen: NDArray[np.bool_], epochs: int) -> None:
    """Give Adagrad the sums that training on all triples would have left, reckoned from those seen.

    Without newcomers nothing was seen yet: an epoch at next to no rate shows it.
    """
    if run.epoch == 0:
        run.change_recipe(replace(run.recipe, lr=1e-30))
        run.one_epoch()
    ends = grown.graph.train[:, [0, 2]]
    n_entities = grown.graph.n_entities
    seen = np.bincount(ends[chosen].ravel(), minlength=n_entities) * run.epoch
    taught = np.bincount(ends.ravel(), minlength=n_entities) * epochs
    share = len(ends) / (chosen.sum() * run.epoch) * epochs
    for name, of in run.rows.energy.tables.items():
        sums = run.rows.state[f"{name}.sums"]
        if of == "entity":
            a_triple = sums[seen > 0].sum() / seen.sum()
            sums[...] = FIRM * a_triple * taught
        else:
            sums *= FIRM * share


def _is_worse(
    energy: Energy, recipe: Recipe, grown: Grown, before: Parameters, after: Parameters
) -> bool:
    """Whether the validation split says so; without one it has no say."""
    if recipe.stop_on == "accuracy":
        return False
    looking = replace(recipe, validate_every=1)
    validator = Validator.of(energy, looking, grown.graph, thread_count(recipe.threads))
    if validator is None:
        return False
    was, now = (validator.measure(tables, never) for tables in (before, after))
    if recipe.stop_on == "mr":
        return now > was * (1 + _WORSE)
    return now < was * (1 - _WORSE)


def _copy(tables: Parameters) -> Parameters:
    return {name: table.copy() for name, table in tables.items()}
