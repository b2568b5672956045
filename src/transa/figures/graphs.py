"""A graph at a glance: who has many facts, of what kind relations are, what train gives away."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from transa.figures.canvas import (
    BLUE,
    GOLD,
    INK,
    PALE,
    RED,
    SAND,
    new_figure,
    set_title,
    write_figure,
)
from transa.graph import Graph
from transa.inspection.components import degrees
from transa.inspection.inspection import Inspection
from transa.inspection.leakage import Leakage
from transa.ranking.categories import CATEGORIES, MANY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = dict(zip(CATEGORIES, (BLUE, GOLD, RED, SAND), strict=True))


def draw_inspection(path: Path, graph: Graph, found: Inspection) -> None:
    """Draw what a look at a graph found."""
    figure = new_figure(path, (13, 4.4))
    left, middle, right = figure.subplots(1, 3)
    _draw_degrees(left, graph)
    _draw_relations(middle, found)
    _draw_leakage(right, found.leakage)
    counts = f"{found.entities:,} entities, {found.relations:,} relations"
    set_title(figure, f"{found.graph}: {counts}, {len(graph.train):,} training facts")
    write_figure(figure, path)


def _draw_degrees(axes: Axes, graph: Graph) -> None:
    """How many entities have at least so many facts."""
    for degree, side, colour in zip(degrees(graph), ("head", "tail"), (BLUE, RED), strict=True):
        ordered = np.sort(degree[degree > 0])[::-1]
        axes.step(ordered, np.arange(1, len(ordered) + 1), color=colour, label=f"as {side}")
    axes.set(xscale="log", yscale="log", xlabel="facts", ylabel="entities with so many or more")
    axes.set_title("Hubs", color=INK, fontsize=11)
    axes.legend(frameon=False, labelcolor=INK)


def _draw_relations(axes: Axes, found: Inspection) -> None:
    """A dot a relation, larger with more facts."""
    for kind in CATEGORIES:
        rows = [row for row in found.relation_kinds if row.kind == kind and row.facts]
        axes.scatter(
            [row.tails_of_a_head for row in rows],
            [row.heads_of_a_tail for row in rows],
            s=[4 + 3 * np.sqrt(row.facts) for row in rows],
            color=_COLOURS[kind],
            alpha=0.6,
            lw=0,
            label=f"{kind}: {len(rows):,}",
        )
    for line in (axes.axhline, axes.axvline):
        line(MANY, color=PALE, ls="--", lw=1)
    axes.set(xscale="log", yscale="log", xlabel="tails of a head", ylabel="heads of a tail")
    axes.set_title("Relations", color=INK, fontsize=11)
    axes.legend(frameon=False, labelcolor=INK, fontsize=9)


def _draw_leakage(axes: Axes, leakage: Leakage | None) -> None:
    axes.set_title("What train gives away of test", color=INK, fontsize=11)
    if leakage is None:
        axes.axis("off")
        axes.text(0.5, 0.5, "no test facts", ha="center", color=PALE)
        return
    bars = {
        "entities linked": (leakage.linked, PALE),
        "copied": (leakage.copied, BLUE),
        "  symmetric": (leakage.symmetric, SAND),
        "  inverse": (leakage.inverse, SAND),
        "  duplicate": (leakage.duplicate, SAND),
        "MRR of copying": (leakage.rule.mrr, RED),
        "Hits@1 of copying": (leakage.rule.hits_at_1, RED),
    }
    shares, colours = zip(*bars.values(), strict=True)
    drawn = axes.barh(list(bars), shares, color=colours)
    axes.bar_label(drawn, [f" {share:.2f}" for share in shares], color=INK, fontsize=9)
    axes.set(xlim=(0, 1.12))
    axes.invert_yaxis()
    axes.spines[["top", "right"]].set_visible(False)
