"""A grid of fixed margins against the adaptive one: what table 1 and `margin-free` share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from experiments.running.records import Record
from experiments.running.runner import Runner
from experiments.running.unit import Unit
from experiments.writing import plots

ADAPTIVE = "adaptive"

Measure: TypeAlias = Literal["mr", "mrr"]
"""What the best of a grid is chosen by, on validation triples: filtered mean rank or MRR."""


@dataclass(frozen=True)
class Contest:
    """How it went on one graph.

    Attributes:
        grid: the runs with fixed margins, seed 0, by margin.
        best: the tested runs of the fixed margin that was chosen, by what it was chosen by.
        adaptive: the tested runs of the adaptive margin.
    """

    grid: list[Record]
    best: Mapping[Measure, list[Record]]
    adaptive: list[Record]


def best_fixed(records: Sequence[Record], by: Measure) -> Record:
    """Of the runs with seed 0, the best with a fixed margin."""
    sign = -1 if by == "mr" else 1
    return max(_grid(records), key=lambda record: sign * float(record.validation[by]))


def hold(runner: Runner, grid: Sequence[Unit], seeds: range, measures: Sequence[Measure]) -> None:
    """Run a graph's grid; then its best and the adaptive margin with all seeds, and test them."""
    records = runner.validated(grid)
    chosen = {ADAPTIVE, *(best_fixed(records, by).label("margin") for by in measures)}
    finals = [
        unit.with_seed(seed) for unit in grid if unit.labels["margin"] in chosen for seed in seeds
    ]
    runner.tested(finals)
    runner.tidy([*grid, *finals])


def contests(
    records: Sequence[Record], measures: Sequence[Measure]
) -> tuple[dict[str, Contest], list[str]]:
    """The contests that are over, by graph; and the graphs of those that are not."""
    found: dict[str, Contest] = {}
    unfinished = []
    for graph in dict.fromkeys(record.graph for record in records):
        contest = _contest([record for record in records if record.graph == graph], measures)
        if all([contest.adaptive, *contest.best.values()]):
            found[graph] = contest
        else:
            unfinished.append(graph)
    return found, unfinished


def _contest(records: Sequence[Record], measures: Sequence[Measure]) -> Contest:
    def tested(margin: object) -> list[Record]:
        return [r for r in records if r.test is not None and r.label("margin") == margin]

    grid = _grid(records)
    best = {by: tested(best_fixed(records, by).label("margin")) if grid else [] for by in measures}
    return Contest(grid, best, tested(ADAPTIVE))


def _grid(records: Sequence[Record]) -> list[Record]:
    fixed = [r for r in records if r.label("margin") != ADAPTIVE and r.seed == 0]
    return sorted(fixed, key=lambda record: float(record.label("margin")))


# Panels side by side: as wide as a page shows without making them small.
_COLUMNS = 3


def draw(path: Path, found: Mapping[str, Contest], measures: Mapping[Measure, str]) -> None:
    """A panel for each graph and measure: on validation triples, against the margin."""
    graphs = list(found)
    rows = [graphs[first : first + _COLUMNS] for first in range(0, len(graphs), _COLUMNS)]
    # The measures of a graph one below the other, and every row whole.
    panels = [
        (graph, by)
        for row in rows
        for by in measures
        for graph in [*row, *[""] * (min(_COLUMNS, len(graphs)) - len(row))]
    ]
    titles = [graph for graph, _ in panels]
    with plots.panels(path, titles, columns=_COLUMNS) as panes:
        for pane, (graph, by) in zip(panes, panels, strict=True):
            if not graph:
                pane.axis("off")
                continue
            contest = found[graph]
            margins = [record.label("margin") for record in contest.grid]
            values = [record.validation[by] for record in contest.grid]
            pane.plot(margins, values, marker="o", color=plots.FIXED, label="fixed")
            own = contest.adaptive[0]
            # One that has run away would squeeze the grid into a corner.
            mean, edge = own.mean_margin or 0.0, 1.2 * max(margins)
            label = "TransA" if mean <= edge else f"TransA, at {mean:.0f} →"
            at = (min(mean, edge), own.validation[by])
            pane.plot(*at, marker="*", ms=13, ls="", color=plots.ADAPTIVE, label=label)
            pane.set(xlabel="margin (TransA: its mean)", ylabel=measures[by])
            pane.legend(frameon=False, fontsize=8)
