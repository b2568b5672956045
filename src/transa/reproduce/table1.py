"""Table 1, locality: does the best margin differ from one part of FB15K to the next?

TransE with the squared L2 energy is trained on each of five parts of the graph with a grid of
margins, and TransA, which is given none, under the same recipe. The margin of a part is the one
with the lowest filtered mean rank on validation triples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from transa.config import make_settings
from transa.reproduce import paper, plots
from transa.reproduce.graphs import PARTS, part_name
from transa.reproduce.lab import Lab
from transa.reproduce.markdown import number, table
from transa.reproduce.records import Record
from transa.reproduce.scale import Scale
from transa.reproduce.tasks import Links
from transa.reproduce.unit import Unit

NAME = "table1"
TITLE = "Table 1: does the best margin differ between parts of a graph?"
MARGINS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
QUICK_MARGINS = (0.5, 1.0, 2.0, 4.0)
ADAPTIVE = "adaptive"

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
    "halved_at": 0.0,
    "validate_every": 20,
    "patience": 0,
    "stop_on": "mr",
}


def units(scale: Scale) -> list[Unit]:
    """Each part and the whole, with each margin of the grid and with TransA's own."""
    margins = QUICK_MARGINS if scale.quick else MARGINS
    options = {**_RECIPE, "epochs": scale.epochs(60)}
    found = []
    for whole in scale.graphs_or("fb15k"):
        for graph in [*(part_name(whole, i + 1) for i in range(PARTS)), whole]:
            for margin in margins:
                settings = make_settings("transe", margin=margin, **options)
                found.append(Unit(NAME, {"margin": margin}, graph, settings, Links()))
            settings = make_settings("transa", margin=ADAPTIVE, **options)
            found.append(Unit(NAME, {"margin": ADAPTIVE}, graph, settings, Links()))
    return found


def run(lab: Lab, scale: Scale) -> None:
    """Train the grid; test each graph's best margin and TransA."""
    planned = units(scale)
    for graph in dict.fromkeys(unit.graph for unit in planned):
        of_graph = [unit for unit in planned if unit.graph == graph]
        best = best_fixed(lab.validated(of_graph))
        digests = (best.digest, *(u.digest for u in of_graph if u.labels["margin"] == ADAPTIVE))
        lab.tested([unit for unit in of_graph if unit.digest in digests])
        lab.tidy(of_graph)


def best_fixed(records: Sequence[Record]) -> Record:
    """The record of the margin with the lowest mean rank on validation triples."""
    fixed = [record for record in records if record.label("margin") != ADAPTIVE]
    return min(fixed, key=lambda record: float(record.validation["mr"]))


def section(records: Sequence[Record], pictures: Path) -> str:
    """The table, and how the mean rank depends on the margin."""
    graphs = sorted({record.graph for record in records}, key=lambda name: ("/" not in name, name))
    by_graph = {name: [r for r in records if r.graph == name] for name in graphs}
    rows = [_row(name, of_graph) for name, of_graph in by_graph.items()]
    _draw(pictures / "table1.png", by_graph)
    header = ["graph", "entities", "relations", "best margin", "raw MR", "filtered MR",
              "TransA's mean margin", "raw MR", "filtered MR"]  # fmt: skip
    said = ", ".join(
        f"{name}: margin {margin:g}, {raw} raw, {filtered} filtered"
        for name, (margin, raw, filtered) in paper.TABLE_1.items()
    )
    settings = records[0].settings
    return "\n\n".join(
        [
            f"TransE, squared L2, d {settings['dim']}, SGD at {settings['lr']:g}, one negative, "
            f"at most {settings['epochs']} epochs; relations dealt out by a seeded shuffle. The "
            "margin of a row is the best of the grid on validation triples; ranks are of test "
            "triples. TransA under the same recipe is given no margin. The paper (its own cut, "
            f"which it does not publish): {said}.",
            table(header, rows),
            "![Filtered mean rank on validation triples against the margin](images/results/"
            "table1.png)",
        ]
    )


def _row(name: str, records: Sequence[Record]) -> list[str]:
    best = best_fixed(records)
    adaptive = [r for r in records if r.label("margin") == ADAPTIVE]
    counts = [number(best.counts["entities"]), number(best.counts["relations"])]
    row = [name, *counts, f"{best.label('margin'):g}", *_ranks(best)]
    if not adaptive:
        return [*row, "not run", "–", "–"]
    return [*row, number(adaptive[0].mean_margin, 2), *_ranks(adaptive[0])]


def _ranks(record: Record) -> list[str]:
    test = record.test or {}
    return [number(test.get("raw mr")), number(test.get("mr"))]


def _draw(path: Path, by_graph: Mapping[str, Sequence[Record]]) -> None:
    with plots.panels(path, list(by_graph)) as panes:
        for pane, records in zip(panes, by_graph.values(), strict=True):
            fixed = sorted(
                (r.label("margin"), r.validation["mr"])
                for r in records
                if r.label("margin") != ADAPTIVE
            )
            pane.plot(*zip(*fixed, strict=True), marker="o", color=plots.FIXED, label="fixed")
            for record in records:
                if record.label("margin") == ADAPTIVE:
                    at = (record.mean_margin, record.validation["mr"])
                    pane.plot(*at, marker="*", ms=13, ls="", color=plots.ADAPTIVE, label="TransA")
            pane.set(xlabel="margin", ylabel="filtered mean rank")
            pane.legend(frameon=False, fontsize=8)
