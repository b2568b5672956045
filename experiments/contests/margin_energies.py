"""The margin of any model, measured in energies, against fixed ones: products and a rotation.

The paper measures distances, which only translations have. Definition 2 in energies is defined for
every model (`transa.margins.of_energies`); here is what it gives beside a margin of 0 and a few.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from experiments.by_size import chosen_settings
from experiments.contests.comparison import ADAPTIVE, Measure, best_fixed, hold
from experiments.running.records import Record
from experiments.running.runner import Runner
from experiments.running.scale import Scale
from experiments.running.tasks import Links
from experiments.running.unit import Unit
from experiments.writing.markdown import number, share, spread, table
from transa.margins import Adaptive, Fixed, Margin

NAME = "margin-energies"
TITLE = "The margin in energies, for models that have no distances"
OWN = Adaptive(mu=0.5, reading="energies", local=1.0)
_MODELS = ("distmult", "complex", "rotate")
_FIXED = (0.0, 1.0, 4.0)
_QUICK = (0.0, 1.0)
_CHOSEN_BY: tuple[Measure, ...] = ("mrr",)
_EPOCHS = 8


def units(scale: Scale) -> list[Unit]:
    """Each model with the adaptive margin and the fixed ones, all seeds."""
    grids = [_grid(g, m, scale) for g in scale.graphs_or("codex-s") for m in _MODELS]
    return [unit.with_seed(seed) for seed in scale.all_seeds for grid in grids for unit in grid]


def run(runner: Runner, scale: Scale) -> None:
    """One seed of each; the adaptive margin, the best fixed one and 0 with all, tested."""
    grids = [_grid(g, m, scale) for g in scale.graphs_or("codex-s") for m in _MODELS]
    for grid in grids:
        runner.validated(grid)
    for grid in grids:
        none = [unit for unit in grid if unit.labels["margin"] == 0.0]
        runner.tested([unit.with_seed(seed) for unit in none for seed in scale.all_seeds])
        hold(runner, grid, scale.all_seeds, _CHOSEN_BY)
        runner.tidy([unit.with_seed(seed) for unit in none for seed in scale.all_seeds])


def _grid(graph: str, model: str, scale: Scale) -> list[Unit]:
    margins: dict[float | str, Margin] = {ADAPTIVE: OWN}
    margins |= {value: Fixed(value) for value in (_QUICK if scale.quick else _FIXED)}
    return [_unit(graph, model, label, margin, scale) for label, margin in margins.items()]


def _unit(graph: str, model: str, label: float | str, margin: Margin, scale: Scale) -> Unit:
    # A small graph has no rule of its own, and the loss is the model's by its fixed defaults.
    epochs = scale.epochs(_EPOCHS)
    given = {"margin": margin, "epochs": epochs, "validate_every": 0}
    settings = chosen_settings(graph, model, **given)
    return Unit(NAME, {"model": model, "margin": label}, graph, settings, Links())


_HEADER = (
    *("model", "margin", "mean margin", "seeds", "validation: MR", "MRR", "test: MR", "MRR"),
    "Hits@10",
)


def section(records: Sequence[Record], pictures: Path) -> str:  # noqa: ARG001
    """A table a graph."""
    parts = [
        "ComplEx, DistMult and RotatE with the softmax loss and all else as `transa train` chooses "
        f"it, but {_EPOCHS} epochs. The adaptive margin is Definition 2 in energies, μ 0.5, each "
        "triple its own. The best fixed margin is chosen on validation triples, by MRR; it, 0 and "
        "the adaptive one are then run with all seeds and tested, as far as the figures go."
    ]
    for graph in sorted({record.graph for record in records}):
        rows = [
            row
            for model in _MODELS
            for row in _rows([r for r in records if (r.graph, r.label("model")) == (graph, model)])
        ]
        parts += [f"**{graph}**", table(_HEADER, rows)]
    return "\n\n".join(parts)


def _rows(records: Sequence[Record]) -> list[list[str]]:
    """The rows of a model, the best of the fixed margins told."""
    fixed = [record for record in records if record.label("margin") != ADAPTIVE]
    best = best_fixed(fixed, "mrr").label("margin") if any(r.seed == 0 for r in fixed) else None
    labels = dict.fromkeys(record.label("margin") for record in records)
    ordered = sorted(labels, key=lambda label: (label == ADAPTIVE, str(label)))
    return [_row(records, label, best) for label in ordered]


def _row(records: Sequence[Record], label: object, best: object) -> list[str]:
    mine = [record for record in records if record.label("margin") == label]
    tested = [record.test["filtered"] for record in mine if record.test is not None]
    seen = [record.validation["filtered"] for record in mine]
    name = ADAPTIVE if label == ADAPTIVE else f"fixed {label:g}"
    return [
        str(mine[0].label("model")),
        name + (", best by MRR" if label == best else ""),
        number(sum(record.mean_margin for record in mine) / len(mine), 2),
        str(len(mine)),
        spread([each["mr"] for each in seen], 1),
        share([each["mrr"] for each in seen], 4),
        spread([each["mr"] for each in tested], 1),
        *(
            share([each[name] for each in tested], digits)
            for name, digits in (("mrr", 4), ("hits@10", 3))
        ),
    ]
