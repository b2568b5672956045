"""A grid of fixed margins against the adaptive one: what table 1 and `margin-free` share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from transa.reproduce import plots
from transa.reproduce.lab import Lab
from transa.reproduce.records import Record
from transa.reproduce.unit import Unit

ADAPTIVE = "adaptive"

Merit: TypeAlias = Callable[[Record], float]
"""What the best of a grid is chosen by, on validation triples; higher is better."""


@dataclass(frozen=True)
class Contest:
    """How it went on one graph.

    Attributes:
        grid: the runs with fixed margins, seed 0, by margin.
        best: the tested runs of the fixed margin that was chosen.
        adaptive: the tested runs of the adaptive margin.
    """

    grid: list[Record]
    best: list[Record]
    adaptive: list[Record]

    @property
    def best_margin(self) -> float:
        """The fixed margin that was chosen."""
        return float(self.best[0].label("margin"))


def best_fixed(records: Sequence[Record], merit: Merit) -> Record:
    """Of the runs with seed 0, the best with a fixed margin."""
    return max(_grid(records), key=merit)


def hold(lab: Lab, grid: Sequence[Unit], seeds: range, merit: Merit) -> None:
    """Run a graph's grid; then its best and the adaptive margin with all seeds, and test them."""
    best = best_fixed(lab.validated(grid), merit)
    finals = [
        unit.with_seed(seed)
        for unit in grid
        for seed in seeds
        if unit.digest == best.digest or unit.labels["margin"] == ADAPTIVE
    ]
    lab.tested(finals)
    lab.tidy([*grid, *finals])


def contests(records: Sequence[Record], merit: Merit) -> tuple[dict[str, Contest], list[str]]:
    """The contests that are over, by graph; and the graphs of those that are not."""
    found: dict[str, Contest] = {}
    unfinished = []
    for graph in dict.fromkeys(record.graph for record in records):
        of_graph = [record for record in records if record.graph == graph]
        contest = _contest(of_graph, merit)
        if contest is None:
            unfinished.append(graph)
        else:
            found[graph] = contest
    return found, unfinished


def _contest(records: Sequence[Record], merit: Merit) -> Contest | None:
    grid = _grid(records)
    if not grid:
        return None
    chosen = best_fixed(records, merit).label("margin")
    tested = [record for record in records if record.test is not None]
    best = [record for record in tested if record.label("margin") == chosen]
    adaptive = [record for record in tested if record.label("margin") == ADAPTIVE]
    return Contest(grid, best, adaptive) if best and adaptive else None


def _grid(records: Sequence[Record]) -> list[Record]:
    fixed = [r for r in records if r.label("margin") != ADAPTIVE and r.seed == 0]
    return sorted(fixed, key=lambda record: float(record.label("margin")))


def draw(path: Path, found: dict[str, Contest], metric: str, ylabel: str) -> None:
    """A panel a graph: the figure on validation triples against the fixed margin, and TransA's."""
    with plots.panels(path, list(found)) as panes:
        for pane, contest in zip(panes, found.values(), strict=True):
            margins = [record.label("margin") for record in contest.grid]
            values = [record.validation[metric] for record in contest.grid]
            pane.plot(margins, values, marker="o", color=plots.FIXED, label="fixed")
            own = contest.adaptive[0]
            at = (own.mean_margin, own.validation[metric])
            pane.plot(*at, marker="*", ms=13, ls="", color=plots.ADAPTIVE, label="TransA")
            pane.set(xlabel="margin (TransA: its mean)", ylabel=ylabel)
            pane.legend(frameon=False, fontsize=8)
