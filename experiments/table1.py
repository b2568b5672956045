"""Table 1, locality: does the best margin differ from one part of FB15K to the next?

TransE with the squared L2 energy is trained on each of five parts of the graph with a grid of
margins, and TransA, which is given none, under the same recipe. The margin of a part is the one
with the lowest filtered mean rank on validation triples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from experiments.contests.comparison import ADAPTIVE, Contest, Measure, contests, draw, hold
from experiments.running.graphs import PARTS, part_name, whole_of
from experiments.running.records import Record
from experiments.running.runner import Runner
from experiments.running.scale import Scale
from experiments.running.tasks import Links
from experiments.running.unit import Unit
from experiments.writing import paper
from experiments.writing.markdown import number, table
from transa.margins import Adaptive
from transa.settings.config import make_settings

NAME = "table1"
TITLE = "Table 1: does the best margin differ between parts of a graph?"
MARGINS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
MEASURES: Mapping[Measure, str] = {"mr": "filtered mean rank, validation"}
QUICK_MARGINS = (0.5, 1.0, 2.0, 4.0)

# TransE's own: stochastic gradient descent on pairs, entities on the sphere once an epoch.
_RECIPE: Mapping[str, object] = {
    "dim": 50,
    "norm": "l2sq",
    "loss": "hinge",
    "negatives": 1,
    "adversarial": 0.0,
    "sampling": "uniform",
    "optimiser": "sgd",
    "lr": 0.01,
    "constraint": "sphere",
    "average": False,
    "validate_every": 10,
    "patience": 0,
    "stop_on": "mr",
}


def units(scale: Scale) -> list[Unit]:
    """Each part and the whole, with each margin of the grid and with TransA's own."""
    margins = QUICK_MARGINS if scale.quick else MARGINS
    options = {**_RECIPE, "epochs": scale.epochs(30)}
    found = []
    for whole in scale.graphs_or("fb15k"):
        for graph in [*(part_name(whole, i + 1) for i in range(PARTS)), whole]:
            for margin in margins:
                settings = make_settings("transe", margin=margin, **options)
                found.append(Unit(NAME, {"margin": margin}, graph, settings, Links()))
            settings = make_settings("transa", margin=Adaptive(local=1.0), **options)
            found.append(Unit(NAME, {"margin": ADAPTIVE}, graph, settings, Links()))
    return found


def run(runner: Runner, scale: Scale) -> None:
    """Train the grid of each graph; test its best margin and TransA."""
    planned = units(scale)
    for graph in dict.fromkeys(unit.graph for unit in planned):
        hold(runner, [unit for unit in planned if unit.graph == graph], range(1), list(MEASURES))


def section(records: Sequence[Record], pictures: Path) -> str:
    """The table, and how the mean rank depends on the margin."""
    by_graph, unfinished = contests(records, list(MEASURES))
    said = ", ".join(
        f"{name}: margin {margin:g}, {raw} raw, {filtered} filtered"
        for name, (margin, raw, filtered) in paper.TABLE_1.items()
    )
    settings = records[0].settings
    parts = [
        f"TransE, squared L2, d {settings['dim']}, SGD at {settings['lr']:g}, one negative, at "
        f"most {settings['epochs']} epochs; relations dealt out by a seeded shuffle. The margin of "
        "a row is the best of the grid on validation triples; ranks are of test triples. TransA "
        "under the same recipe is given no margin. The paper (its own cut, which it does not "
        f"publish): {said}."
    ]
    if by_graph:
        draw(pictures / "table1.png", by_graph, MEASURES)
        # The parts first, as in the paper.
        names = sorted(by_graph, key=lambda name: (whole_of(name) == name, name))
        parts += [
            table(_HEADER, [_row(name, by_graph[name]) for name in names]),
            "![Filtered mean rank on validation triples against the margin](images/results/"
            "table1.png)",
        ]
        parts += _runaways(by_graph)
    if unfinished:
        parts.append(f"Not finished: {', '.join(unfinished)}.")
    return "\n\n".join(parts)


def _runaways(by_graph: Mapping[str, Contest]) -> list[str]:
    """A word on margins that have left the scale of the best ones."""
    far = [
        name
        for name, contest in by_graph.items()
        if (contest.adaptive[0].mean_margin or 0) > 10 * contest.best["mr"][0].label("margin")
    ]
    if not far:
        return []
    return [
        f"On {len(far)} of {len(by_graph)} graphs TransA's margin has run away. With this energy "
        "lengths are squared and nothing bounds those of relations: M_rel grows with the longest, "
        "a larger margin makes them longer, and so on. The default recipe keeps entities in the "
        "unit ball and measures lengths as they are, and does not run away."
    ]


_HEADER = ("graph", "entities", "relations", "best margin", "raw MR", "filtered MR",
           "TransA's mean margin", "raw MR", "filtered MR")  # fmt: skip


def _row(name: str, contest: Contest) -> list[str]:
    best, own = contest.best["mr"][0], contest.adaptive[0]
    counts = [number(best.counts["entities"]), number(best.counts["relations"])]
    margins = f"{best.label('margin'):g}", number(own.mean_margin, 2)
    return [name, *counts, margins[0], *_ranks(best), margins[1], *_ranks(own)]


def _ranks(record: Record) -> list[str]:
    test = record.test or {}
    return [number(test.get("raw mr")), number(test.get("mr"))]
