"""Ablations: what each part of the adaptive margin is worth. On validation triples only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from experiments.running.defaults import default_settings
from experiments.running.records import Record
from experiments.running.runner import Runner
from experiments.running.scale import Scale
from experiments.running.tasks import Links
from experiments.running.unit import Unit
from experiments.writing.markdown import number, table
from transa.margins import READINGS, Adaptive
from transa.settings.recipe import Recipe

NAME = "ablations"
TITLE = "Ablations: mu, reading, pooled directions, how often margins are recomputed"
_EPOCHS = {"wn18": 30}
_NEVER = 1000
_AS_IT_IS, _POOLED = "as it is", "directions pooled"


def _variants(recipe: Recipe) -> Mapping[str, Recipe]:
    """The recipe as it is, and with one thing of its margin changed at a time."""
    margin = recipe.margin
    assert isinstance(margin, Adaptive)  # noqa: S101 (narrows the type)
    margins = {f"μ {mu:g}": replace(margin, mu=mu) for mu in (0.0, 0.25, 0.5, 0.75, 1.0)}
    margins |= {f"reading {r}": replace(margin, reading=r) for r in READINGS}
    margins |= {f"rounds {n}": replace(margin, rounds=n) for n in (1, 2, 10)}
    margins |= {f"every {n} epochs": replace(margin, every=n) for n in (1, 5, 20)}
    margins["only before the first epoch"] = replace(margin, every=_NEVER)
    margins |= {f"local {share:g}": replace(margin, local=share) for share in (0.25, 0.5, 1.0)}
    margins["local 1, halved at 2 answers"] = replace(margin, local=1.0, halved_at=2.0)
    varied = {name: replace(recipe, margin=other) for name, other in margins.items()}
    changed = {name: other for name, other in varied.items() if other != recipe}
    return {_AS_IT_IS: recipe, _POOLED: recipe, **changed}


def units(scale: Scale) -> list[Unit]:
    """Each graph with each variant."""
    found = []
    for graph in scale.graphs_or("codex-s", "wn18"):
        default = default_settings(graph)
        epochs = scale.epochs(_EPOCHS.get(graph, 100))
        recipe = replace(default.recipe, epochs=epochs, validate_every=0)
        for name, varied in _variants(recipe).items():
            settings = replace(default, recipe=varied)
            labels = {"variant": name}
            found.append(Unit(NAME, labels, graph, settings, Links(), pooled=name == _POOLED))
    return found


def run(runner: Runner, scale: Scale) -> None:
    """Train and measure all; nothing is tested, for nothing is claimed."""
    planned = units(scale)
    runner.validated(planned)
    runner.tidy(planned)


def section(records: Sequence[Record], pictures: Path) -> str:  # noqa: ARG001
    """A table for each graph."""
    parts = [
        "TransA's fixed defaults with one thing of its margin changed at a time, one seed, a fixed "
        "number of epochs; ranks are of validation triples."
    ]
    header = ["margin", "mean margin", "filtered MR", "MRR", "Hits@10"]
    for graph in dict.fromkeys(record.graph for record in records):
        of_graph = [r for r in records if r.graph == graph]
        of_graph.sort(key=lambda r: (r.label("variant") != _AS_IT_IS, r.label("variant")))
        rows = [[str(record.label("variant")), *_figures(record)] for record in of_graph]
        epochs = of_graph[0].settings["epochs"]
        parts += [f"**{graph}**, {epochs} epochs", table(header, rows)]
    return "\n\n".join(parts)


def _figures(record: Record) -> list[str]:
    found = record.validation
    return [
        number(record.mean_margin, 2),
        number(found["mr"]),
        number(found["mrr"], 3),
        number(found["hits@10"], 3),
    ]
