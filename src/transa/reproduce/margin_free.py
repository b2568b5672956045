"""The paper's claim itself: no margin to search.

Under one recipe, the default of `transa train` but for a fixed number of epochs, TransA's adaptive
margin against a grid of twelve fixed ones, the best of which is chosen by MRR on validation data.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path

from transa.config import Plain, make_settings, to_plain
from transa.reproduce import plots
from transa.reproduce.lab import Lab
from transa.reproduce.markdown import number, share, spread, table
from transa.reproduce.records import Record
from transa.reproduce.scale import Scale
from transa.reproduce.tasks import Links
from transa.reproduce.unit import Unit

NAME = "margin-free"
TITLE = "Margin-free: the adaptive margin against a grid of fixed ones"
# Smallest graph first.
GRAPHS = ("kinship", "codex-s", "wn18rr", "wn18", "fb15k-237", "fb15k")
MARGINS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0)
QUICK_MARGINS = (0.0, 1.0, 2.0, 4.0, 6.0, 8.0)
ADAPTIVE = "adaptive"
# Enough to tell margins apart, not to set records: 13 runs and more a graph have to be paid for.
_EPOCHS = {"kinship": 100, "codex-s": 100, "wn18rr": 50, "wn18": 50, "fb15k-237": 20, "fb15k": 20}


def units(scale: Scale) -> list[Unit]:
    """Each graph with TransA's own margin and each of the grid; all seeds."""
    return [
        _unit(graph, margin, seed, scale)
        for graph in scale.graphs_or(*GRAPHS)
        for seed in scale.all_seeds
        for margin in _margins(scale)
    ]


def run(lab: Lab, scale: Scale) -> None:
    """The grid with one seed; then TransA and the best of the grid with all seeds, and tested."""
    for graph in scale.graphs_or(*GRAPHS):
        grid = [_unit(graph, margin, 0, scale) for margin in _margins(scale)]
        best = best_fixed(lab.validated(grid))
        finals = [
            unit.with_seed(seed)
            for unit in grid
            for seed in scale.all_seeds
            if unit.digest == best.digest or unit.labels["margin"] == ADAPTIVE
        ]
        lab.tested(finals)
        lab.tidy([*grid, *finals])


def best_fixed(records: Sequence[Record]) -> Record:
    """Of the runs with seed 0, the one of the fixed margin with the best MRR on validation."""
    fixed = [r for r in records if r.label("margin") != ADAPTIVE and r.seed == 0]
    return max(fixed, key=lambda record: float(record.validation["mrr"]))


def _margins(scale: Scale) -> tuple[str | float, ...]:
    return ADAPTIVE, *(QUICK_MARGINS if scale.quick else MARGINS)


def _unit(graph: str, margin: str | float, seed: int, scale: Scale) -> Unit:
    options: Plain = to_plain(make_settings("transa"))
    model = "transa" if margin == ADAPTIVE else "transe"
    epochs = scale.epochs(_EPOCHS.get(graph, 50))
    changed = {"epochs": epochs, "validate_every": 0, "seed": seed, "model": model}
    if margin != ADAPTIVE:
        changed["margin"] = margin
    settings = make_settings(**{**options, **changed})
    return Unit(NAME, {"margin": margin}, graph, settings, Links())


def section(records: Sequence[Record], pictures: Path) -> str:
    """Both on test triples, what they cost, and the curve of the grid on validation triples."""
    graphs = [name for name in GRAPHS if any(r.graph == name for r in records)]
    graphs += sorted({r.graph for r in records} - set(GRAPHS))
    by_graph = {name: [r for r in records if r.graph == name] for name in graphs}
    missing = [name for name in GRAPHS if name not in by_graph]
    rows = [row for name, of_graph in by_graph.items() for row in _rows(name, of_graph)]
    _draw(pictures / "margin-free.png", by_graph)
    header = ["graph", "margin", "filtered MR", "MRR", "Hits@10", "training, processor seconds"]
    verdicts = ", ".join(f"{_verdict(of_graph)} on {name}" for name, of_graph in by_graph.items())
    parts = [
        "One recipe, that of `transa train` with few epochs and no early stopping "
        f"({', '.join(f'{name} {_epochs(of)}' for name, of in by_graph.items())}), and only the "
        "margin differs. The fixed margin is the best of twelve by MRR on validation triples; "
        "ranks are of test triples; the cost of the fixed margin is that of its grid, one seed. By "
        f"MRR on test triples the adaptive margin is {verdicts} (level: within twice the standard "
        "error of the difference, or within .005).",
        table(header, rows),
        "![MRR on validation triples against the fixed margin, and TransA's own]"
        "(images/results/margin-free.png)",
    ]
    if missing:
        parts.append(f"Not run: {', '.join(missing)}.")
    return "\n\n".join(parts)


def _rows(graph: str, records: Sequence[Record]) -> list[list[str]]:
    fixed, adaptive = _finals(records)
    grid = [r for r in records if r.label("margin") != ADAPTIVE and r.seed == 0]
    own = [r for r in records if r.label("margin") == ADAPTIVE and r.seed == 0]
    best = f"fixed {best_fixed(records).label('margin'):g}, the best of {len(grid)}"
    return [
        [graph, "adaptive", *_figures(adaptive), number(_cost(own))],
        [graph, best, *_figures(fixed), number(_cost(grid))],
    ]


def _finals(records: Sequence[Record]) -> tuple[list[Record], list[Record]]:
    """The runs of the best fixed margin and of the adaptive one that were tested."""
    best = best_fixed(records).label("margin")
    tested = [r for r in records if r.test is not None]
    fixed = [r for r in tested if r.label("margin") == best]
    return fixed, [r for r in tested if r.label("margin") == ADAPTIVE]


def _figures(records: Sequence[Record]) -> list[str]:
    def of(name: str) -> list[float]:
        return [r.test[name] for r in records if r.test is not None]

    return [spread(of("mr")), share(of("mrr")), share(of("hits@10"))]


def _cost(records: Sequence[Record]) -> float:
    return sum(float(r.made["processor_seconds_training"]) for r in records)


def _verdict(records: Sequence[Record]) -> str:
    fixed, adaptive = ([r.test["mrr"] for r in of if r.test is not None] for of in _finals(records))
    if not fixed or not adaptive:
        return "not yet tested"
    difference = statistics.fmean(adaptive) - statistics.fmean(fixed)
    errors = (statistics.variance(of) / len(of) for of in (fixed, adaptive) if len(of) > 1)
    if abs(difference) <= max(0.005, 2 * sum(errors) ** 0.5):
        return "level"
    return "better" if difference > 0 else "worse"


def _epochs(records: Sequence[Record]) -> int:
    return int(records[0].settings["epochs"])


def _draw(path: Path, by_graph: dict[str, list[Record]]) -> None:
    with plots.panels(path, list(by_graph)) as panes:
        for pane, records in zip(panes, by_graph.values(), strict=True):
            grid = [r for r in records if r.label("margin") != ADAPTIVE and r.seed == 0]
            points = sorted((r.label("margin"), r.validation["mrr"]) for r in grid)
            pane.plot(*zip(*points, strict=True), marker="o", color=plots.FIXED, label="fixed")
            for record in records:
                if record.label("margin") == ADAPTIVE and record.seed == 0:
                    at = (record.mean_margin, record.validation["mrr"])
                    pane.plot(*at, marker="*", ms=13, ls="", color=plots.ADAPTIVE, label="TransA")
            pane.set(xlabel="margin (TransA: its mean)", ylabel="MRR, validation")
            pane.legend(frameon=False, fontsize=8)
