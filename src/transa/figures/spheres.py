"""Figures 1 and 2 of the paper, and how reliable probabilities are. Needs the extra `figures`.

A sphere of many dimensions cannot be shown, but a distance can: radii are true, angles are not.
Points are spread evenly round the circle, in the order of their directions.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from transa.classification.result import TripleClassification
from transa.errors import InputError
from transa.figures.canvas import BLUE, GOLD, INK, PALE, RED, SAND, new_figure, write_figure
from transa.margins.margin import Adaptive
from transa.margins.spheres import Sphere, Spheres
from transa.models.fitted import FittedModel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POSITIVE, _FARTHEST, _NEGATIVE, _NEAREST = BLUE, RED, SAND, "#000000"
_GAP = GOLD
_MOST_LABELS = 12
_EDGE_TO_EDGE: dict[str, Any] = {"color": INK, "shrinkA": 0, "shrinkB": 0}


def draw_margins(
    path: Path, model: FittedModel, spheres: Spheres, sphere: Sphere, margin: Adaptive
) -> None:
    """Draw the spheres of one relation round an entity: M_ent on the left, M_rel on the right.

    The margin's reading and mu are told in numbers.
    """
    graph = model.graph
    figure = new_figure(path, (13, 6.6))
    left, right = figure.subplots(1, 2)
    _draw_entities(left, model, spheres, sphere)
    _draw_relations(right, model, spheres, sphere)
    words = [graph.entities.display(spheres.anchor), graph.relations.display(sphere.relation), "?"]
    asked = " · ".join(words if spheres.direction == "outgoing" else reversed(words))
    m_ent, m_opt = spheres.m_ent(margin.reading), spheres.m_opt(sphere, margin.mu, margin.reading)
    title = (
        f"{asked}\nmargin {m_opt:.2f} = {margin.mu:g} × {m_ent:.2f} (entity, reading "
        f"“{margin.reading}”) + {1 - margin.mu:g} × {sphere.m_rel:.2f} (relation)"
    )
    write_figure(figure, path, title)


def draw_reliability(path: Path, result: TripleClassification) -> None:
    """Draw how often triples of a probability are true, and how many have that probability."""
    found = result.reliability
    if found is None:
        raise InputError("no triple has a probability, so that there is nothing to draw")
    figure = new_figure(path, (6.4, 7.4))
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(4, 1))
    filled = found.counts > 0
    above.plot([0, 1], [0, 1], color=PALE, ls="--", lw=1, label="perfect")
    points = found.predicted[filled], found.observed[filled]
    above.plot(*points, marker="o", color=_POSITIVE, label="this model")
    above.set(xlim=(0, 1), ylim=(0, 1), ylabel="share that is true")
    above.legend(frameon=False, labelcolor=INK)
    n = len(found.counts)
    below.bar((np.arange(n) + 0.5) / n, found.counts, 1 / n, color=_GAP)
    below.set(xlabel="probability", ylabel="triples")
    title = (
        f"{result.graph}, {result.split}: off by {found.expected_error:.3f} on average, "
        f"Brier score {found.brier:.3f}"
    )
    write_figure(figure, path, title)


def _draw_entities(axes: Axes, model: FittedModel, spheres: Spheres, sphere: Sphere) -> None:
    """Figure 1: positives inside the inner sphere, negatives outside the outer one."""
    graph, vectors = model.graph, model.tables["entity"]
    ids = np.concatenate([sphere.positives, sphere.negatives])
    radii = np.concatenate([sphere.positive_distances, sphere.negative_distances])
    x, y = _spread(radii, vectors[ids] - vectors[spheres.anchor])
    n = len(sphere.positives)
    _annulus(axes, sphere.farthest_positive, sphere.nearest_negative)
    axes.scatter(x[n:], y[n:], marker="s", s=22, color=_NEGATIVE, label="negatives", zorder=3)
    axes.scatter(x[:n], y[:n], marker="o", s=30, color=_POSITIVE, label="positives", zorder=4)
    axes.scatter(x[n - 1], y[n - 1], s=60, color=_FARTHEST, label="farthest positive", zorder=5)
    if sphere.nearest_negative is not None:
        axes.scatter(
            x[n], y[n], marker="s", s=50, color=_NEAREST, label="nearest negative", zorder=5
        )
    axes.scatter(0, 0, marker="*", s=160, color=INK, zorder=5)
    labelled = [*range(max(0, n - _MOST_LABELS), n), *range(n, min(len(ids), n + _MOST_LABELS))]
    _label(axes, x, y, [graph.entities.display(i) for i in ids], labelled)
    _finish(axes, radii.max(), f"Neighbours of {graph.entities.display(spheres.anchor)}")


def _draw_relations(axes: Axes, model: FittedModel, spheres: Spheres, sphere: Sphere) -> None:
    """Figure 2: how much longer the next longer relation is."""
    # Longest and shortest alternate round the circle, so that names do not crowd.
    by_length = sorted(spheres.relations, key=lambda s: s.length)
    radii = np.array([s.length for s in by_length])
    x, y = _on_circle(radii, np.arange(len(radii)))
    next_longer = sphere.length + sphere.m_rel if sphere.m_rel else None
    _annulus(axes, sphere.length, next_longer)
    for s, x_i, y_i in zip(by_length, x, y, strict=True):
        chosen = s is sphere
        colour = _FARTHEST if chosen else _POSITIVE if s.length < sphere.length else _NEGATIVE
        drawn = {"arrowstyle": "-|>", "color": colour, "lw": 2.2 if chosen else 1.2}
        axes.annotate("", (x_i, y_i), (0, 0), arrowprops=_EDGE_TO_EDGE | drawn)
    names = [model.graph.relations.display(s.relation) for s in by_length]
    _label(axes, x, y, names, range(len(names)))
    _finish(axes, radii.max(), "Its relations, by length")


def _annulus(axes: Axes, inner: float, outer: float | None) -> None:
    """The two spheres, the space between them shaded."""
    from matplotlib.patches import Annulus, Circle

    axes.add_patch(Circle((0, 0), inner, fill=False, color=_FARTHEST, lw=1.4))
    if outer is None:
        return
    axes.add_patch(Circle((0, 0), outer, fill=False, color=INK, lw=1.2, ls="--"))
    width = abs(outer - inner)
    if width == 0:
        return
    axes.add_patch(Annulus((0, 0), max(inner, outer), width, color=_GAP, alpha=0.3, lw=0))
    axes.annotate("", (0, -outer), (0, -inner), arrowprops={"arrowstyle": "<->", **_EDGE_TO_EDGE})
    axes.text(0, -(inner + outer) / 2, f" {width:.2f}", va="center", fontsize=10, color=INK)


def _spread(
    radii: NDArray[np.float32], directions: NDArray[np.float32]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points at true radii, in the angular order of their two principal directions."""
    _, _, axes = np.linalg.svd(directions - directions.mean(axis=0), full_matrices=False)
    plane = directions @ axes[:2].T if len(axes) > 1 else np.zeros((len(radii), 2))
    order = np.argsort(np.argsort(np.arctan2(plane[:, 1], plane[:, 0]), kind="stable"))
    return _on_circle(radii, order)


def _on_circle(
    radii: NDArray[Any], order: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    angles = 2 * np.pi * order / max(len(order), 1) + np.pi / 7
    return radii * np.cos(angles), radii * np.sin(angles)


def _label(
    axes: Axes, x: NDArray[Any], y: NDArray[Any], names: list[str], which: Iterable[int]
) -> None:
    from matplotlib.patheffects import withStroke

    for i in which:
        axes.annotate(
            names[i],
            (x[i], y[i]),
            xytext=(5 if x[i] >= 0 else -5, 4),
            textcoords="offset points",
            ha="left" if x[i] >= 0 else "right",
            fontsize=8.5,
            color=INK,
            parse_math=False,
            zorder=6,
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
        )


def _finish(axes: Axes, reach: float, title: str) -> None:
    reach = max(float(reach), 1e-6) * 1.15
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    axes.set_title(title, color=INK, fontsize=11, parse_math=False)
    axes.axis("off")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="lower center", ncols=4, fontsize=8, frameon=False, labelcolor=PALE)
