"""Other models with their defaults, `transa train GRAPH --model complex`, beside what is published.

The settings are those of the models' own rules (`Energy.by_size`), chosen on validation triples;
the test split is looked at here, once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from experiments.by_size import chosen_settings
from experiments.running.records import Record
from experiments.running.runner import Runner
from experiments.running.scale import Scale
from experiments.running.tasks import Links
from experiments.running.unit import Unit
from experiments.writing.markdown import number, share, spread, table

NAME = "yardsticks"
TITLE = "Other models, with the defaults of `transa train --model`"
# Filtered MRR on test triples after an automatic search over hundreds of settings: LibKGE's, and
# CoDEx's for codex-s. In the order that they are run in.
PUBLISHED: Mapping[tuple[str, str], float | None] = {
    ("codex-s", "complex"): 0.465,
    ("codex-s", "distmult"): None,
    ("codex-s", "rescal"): 0.404,
    ("codex-s", "rotate"): None,
    ("wn18rr", "complex"): 0.475,
    ("fb15k-237", "complex"): 0.348,
    ("wn18rr", "distmult"): 0.452,
    ("wn18rr", "rotate"): 0.478,
    ("wn18rr", "rescal"): 0.467,
    ("wn18", "complex"): 0.951,
    ("fb15k-237", "distmult"): 0.343,
    ("fb15k-237", "rotate"): 0.333,
    ("fb15k-237", "rescal"): 0.356,
    ("fb15k", "complex"): 0.838,
}
_MODELS = tuple(dict.fromkeys(model for _, model in PUBLISHED))
_GRAPHS = tuple(dict.fromkeys(graph for graph, _ in PUBLISHED))


def units(scale: Scale) -> list[Unit]:
    """Each model on each graph, one seed."""
    wanted = [(g, m) for g, m in PUBLISHED if not scale.graphs or g in scale.graphs]
    wanted += [(g, m) for g in scale.graphs if g not in _GRAPHS for m in _MODELS]
    return [_unit(graph, model, scale) for graph, model in wanted]


def _unit(graph: str, model: str, scale: Scale) -> Unit:
    settings = chosen_settings(graph, model)
    epochs = scale.epochs(settings.recipe.epochs)
    settings = replace(settings, recipe=replace(settings.recipe, epochs=epochs))
    return Unit(NAME, {"model": model}, graph, settings, Links())


def run(runner: Runner, scale: Scale) -> None:
    """Train and test all, one after the other."""
    for unit in units(scale):
        runner.tested([unit])
        runner.tidy([unit])


_HEADER = (
    *("graph", "model", "d", "K", "epochs", "filtered MR", "MRR", "published", "Hits@1"),
    *("Hits@10", "processor minutes"),
)


def section(records: Sequence[Record], pictures: Path) -> str:  # noqa: ARG001
    """A row a model and graph; and what was not run."""
    order = list(PUBLISHED)
    tested = {(r.graph, str(r.label("model"))): r for r in records if r.test is not None}
    keys = sorted(tested, key=lambda key: (_GRAPHS.index(key[0]) if key in order else 99, key))
    missing = [f"{model} on {graph}" for graph, model in order if (graph, model) not in tested]
    parts = [
        "Nothing but the graph and the model is given. ComplEx, DistMult and RESCAL are trained "
        "with inverse relations, all by the softmax loss on the direct engine, and K entities are "
        "drawn for a batch of questions (all, if there are fewer). Published are the figures of "
        "automatic searches over hundreds of settings (LibKGE; codex-s: CoDEx). One seed.",
        table(_HEADER, [_row(tested[key]) for key in keys]),
    ]
    if missing:
        parts.append(f"Not run: {', '.join(missing)}.")
    return "\n\n".join(parts)


def _row(record: Record) -> list[str]:
    assert record.test is not None  # noqa: S101 (narrows the type)
    settings, found = record.settings, record.test["filtered"]
    model = str(record.label("model"))
    published = PUBLISHED.get((record.graph, model))
    minutes = float(record.made["processor_seconds_training"]) / 60
    return [
        *(record.graph, model, str(settings["dim"])),
        str(min(settings["negatives"], record.counts["entities"])),
        str(settings["epochs"]),
        spread([found["mr"]], 0),
        share([found["mrr"]]),
        "–" if published is None else share([published]),
        *(share([found[name]]) for name in ("hits@1", "hits@10")),
        number(minutes, 1),
    ]
