"""`transa train GRAPH` with nothing else given: what the rule chooses, and what it comes to.

The settings are those of `transa.settings.by_size`. Its evidence, from other seeds' validation
triples, is in experiments/log.md; the test split is looked at here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from experiments.running.graphs import graph_of
from experiments.running.records import Record
from experiments.running.runner import Runner
from experiments.running.scale import Scale
from experiments.running.tasks import Links
from experiments.running.unit import Unit
from experiments.writing.markdown import number, share, spread, table
from transa import datasets
from transa.settings.by_size import GraphSize, settings_for
from transa.settings.config import Settings

NAME = "by-size"
TITLE = "The defaults of `transa train`, chosen by the size of the graph"
# Smallest graph first.
GRAPHS = ("kinship", "codex-s", "wn18rr", "wn18", "fb15k-237", "fb15k")
# The share of triples whose pair is joined twice: what the catalogue of data sets does not tell.
PAIRED = {
    "kinship": 0.793,
    "codex-s": 0.171,
    "wn18rr": 0.345,
    "wn18": 0.931,
    "fb15k-237": 0.378,
    "fb15k": 0.81,
}


def size_of(graph: str) -> GraphSize:
    """The size of a graph; of the data sets here without reading them, as a report needs it."""
    known = {entry.name: (entry.train, entry.entities) for entry in datasets.available()}
    if graph in PAIRED:
        return GraphSize(*known[graph], PAIRED[graph])
    return GraphSize.of(graph_of(graph))


def chosen_settings(graph: str, model: str = "transe", **given: object) -> Settings:
    """What `transa train` chooses for a graph."""
    return settings_for(model, given, size_of(graph)).settings


def units(scale: Scale) -> list[Unit]:
    """Each graph, all seeds; one seed of all graphs first."""
    found = []
    for seed in scale.all_seeds:
        for graph in scale.graphs_or(*GRAPHS):
            settings = chosen_settings(graph, seed=seed)
            epochs = scale.epochs(settings.recipe.epochs)
            settings = replace(settings, recipe=replace(settings.recipe, epochs=epochs))
            found.append(Unit(NAME, {}, graph, settings, Links()))
    return found


def run(runner: Runner, scale: Scale) -> None:
    """Train and test all, one after the other."""
    for unit in units(scale):
        runner.tested([unit])
        runner.tidy([unit])


_HEADER = (
    *("graph", "d", "scale", "λ", "rate", "epochs", "seeds"),
    *("filtered MR", "MRR", "the same on validation", "Hits@1", "Hits@10", "processor seconds"),
)


def section(records: Sequence[Record], pictures: Path) -> str:  # noqa: ARG001
    """A row a graph."""
    rows = []
    for graph in sorted({r.graph for r in records}, key=lambda name: (*GRAPHS, name).index(name)):
        of_graph = [r for r in records if r.graph == graph and r.test is not None]
        if of_graph:
            rows.append(_row(graph, of_graph))
    return "\n\n".join(
        [
            "Nothing but the graph is given. TransE's energy, the listwise loss, margin 0, inverse "
            "relations; the size of the graph decides on the rest "
            "([the method](method.md#defaults-by-size-of-graph)). Ranks are of test triples, every "
            "entity counted.",
            table(_HEADER, rows),
            "The test triples of codex-s are few, and harder than its validation triples for every "
            "model that was tried.",
        ]
    )


def _row(graph: str, records: Sequence[Record]) -> list[str]:
    settings = records[0].settings

    def of(name: str) -> list[float]:
        return [record.test["filtered"][name] for record in records if record.test is not None]

    seconds = [float(record.made["processor_seconds_training"]) for record in records]
    return [
        graph,
        str(settings["dim"]),
        f"{settings['scale']:g}",
        f"{settings['logistic_share']:g}",
        "falls" if settings["lr_decay"] == "linear" else "constant",
        str(settings["epochs"]),
        str(len(records)),
        spread(of("mr"), 1),
        share(of("mrr")),
        share([record.validation["filtered"]["mrr"] for record in records]),
        *(share(of(name)) for name in ("hits@1", "hits@10")),
        number(sum(seconds) / len(seconds)),
    ]
