"""Figures 1 and 2 of the paper, and how reliable probabilities are. Needs the extra `figures`.

What is drawn is what training reckons with: the internal sphere reaches the farthest positive, and
the external one is as much larger as the margin says, whichever way its definition is read.

A sphere of many dimensions cannot be shown, but a distance can: radii are true, angles are not.
Points are spread evenly round the circle, in the order of their directions.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from transa.classification.result import TripleClassification
from transa.errors import InputError
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
from transa.figures.labels import Labels, label_points
from transa.margins.margin import Adaptive
from transa.margins.spheres import Sphere, Spheres
from transa.models.fitted import FittedModel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POSITIVE, _FARTHEST, _NEGATIVE, _NEAREST = BLUE, RED, SAND, "#000000"
_GAP = GOLD
_MOST_LABELS = 24
_EDGE_TO_EDGE: dict[str, Any] = {"color": INK, "shrinkA": 0, "shrinkB": 0}


def draw_margins(
    path: Path, model: FittedModel, spheres: Spheres, sphere: Sphere, margin: Adaptive
) -> None:
    """Draw the spheres of one relation round an entity: M_ent on the left, M_rel on the right."""
    graph = model.graph
    figure = new_figure(path, (13, 6.6))
    left, right = figure.subplots(1, 2)
    m_ent, m_opt = spheres.m_ent(margin.reading), spheres.m_opt(sphere, margin.mu, margin.reading)
    names = _draw_entities(left, model, spheres, sphere, m_ent)
    lengths = _draw_relations(right, model, spheres, sphere)
    words = [graph.entities.display(spheres.anchor), graph.relations.display(sphere.relation), "?"]
    asked = " · ".join(words if spheres.direction == "outgoing" else reversed(words))
    title = (
        f"{asked}\nmargin {m_opt:.2f} = {margin.mu:g} × {m_ent:.2f} (entity, reading "
        f"“{margin.reading}”) + {1 - margin.mu:g} × {sphere.m_rel:.2f} (relation)"
    )
    figure.supxlabel("\n".join(_remarks(sphere, margin)), color=PALE, fontsize=9)
    set_title(figure, title)
    # Last, when nothing moves any more.
    for labels in (names, lengths):
        label_points(labels)
    write_figure(figure, path)


def _remarks(sphere: Sphere, margin: Adaptive) -> Iterator[str]:
    """What a reader of the figure may wonder at."""
    yield (
        "Distances from the middle are true, directions are not. Shaded: the margin, from the "
        "farthest positive outwards."
    )
    inside = int((sphere.negative_distances < sphere.farthest_positive).sum())
    if inside:
        yield (
            f"{inside} of {len(sphere.negatives)} negatives are nearer than the farthest positive: "
            "the spheres of the paper overlap here, and the margin is how far they are from that."
        )
    if margin.local == 0:
        yield "In training every triple is held to the mean of all such margins (local 0)."


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
    set_title(figure, title)
    write_figure(figure, path)


def _draw_entities(
    axes: Axes, model: FittedModel, spheres: Spheres, sphere: Sphere, m_ent: float
) -> Labels:
    """Figure 1: positives inside the inner sphere, negatives outside the outer one."""
    graph, vectors = model.graph, model.tables["entity"]
    ids = np.concatenate([sphere.positives, sphere.negatives])
    radii = np.concatenate([sphere.positive_distances, sphere.negative_distances])
    x, y = _spread(radii, vectors[ids] - vectors[spheres.anchor])
    n = len(sphere.positives)
    _annulus(axes, sphere.farthest_positive, m_ent)
    axes.scatter(x[n:], y[n:], marker="s", s=22, color=_NEGATIVE, label="negatives", zorder=3)
    axes.scatter(x[:n], y[:n], marker="o", s=30, color=_POSITIVE, label="positives", zorder=4)
    axes.scatter(x[n - 1], y[n - 1], s=60, color=_FARTHEST, label="farthest positive", zorder=5)
    if sphere.nearest_negative is not None:
        axes.scatter(
            x[n], y[n], marker="s", s=50, color=_NEAREST, label="nearest negative", zorder=5
        )
    axes.scatter(0, 0, marker="*", s=160, color=INK, zorder=5)
    reach = max(radii.max(), sphere.farthest_positive + m_ent)
    _finish(axes, reach, f"Neighbours of {graph.entities.display(spheres.anchor)}")
    # Those at the spheres first: they make the margin.
    inside, outside = range(n - 1, -1, -1), range(n, len(ids))
    by_turns = [i for pair in zip_longest(inside, outside) for i in pair if i is not None]
    names = [graph.entities.display(i) for i in ids]
    return Labels(axes, x, y, names, by_turns[:_MOST_LABELS])


def _draw_relations(axes: Axes, model: FittedModel, spheres: Spheres, sphere: Sphere) -> Labels:
    """Figure 2: how much longer the next longer relation is."""
    # Longest and shortest alternate round the circle, so that names do not crowd.
    by_length = sorted(spheres.relations, key=lambda s: s.length)
    radii = np.array([s.length for s in by_length])
    x, y = _on_circle(radii, np.arange(len(radii)))
    _annulus(axes, sphere.length, sphere.m_rel)
    for s, x_i, y_i in zip(by_length, x, y, strict=True):
        chosen = s is sphere
        colour = _FARTHEST if chosen else _POSITIVE if s.length < sphere.length else _NEGATIVE
        drawn = {"arrowstyle": "-|>", "color": colour, "lw": 2.2 if chosen else 1.2}
        axes.annotate("", (x_i, y_i), (0, 0), arrowprops=_EDGE_TO_EDGE | drawn)
    _finish(axes, radii.max(), "Its relations, by length")
    names = [model.graph.relations.display(s.relation) for s in by_length]
    # The one that is asked for, then those that come next in length.
    order = sorted(range(len(names)), key=lambda i: abs(float(radii[i]) - sphere.length))
    return Labels(axes, x, y, names, order[:_MOST_LABELS])


def _annulus(axes: Axes, inner: float, width: float) -> None:
    """The two spheres, the space between them shaded and measured."""
    from matplotlib.patches import Annulus, Circle

    axes.add_patch(Circle((0, 0), inner, fill=False, color=_FARTHEST, lw=1.4))
    if width <= 0:
        return
    outer = inner + width
    axes.add_patch(Circle((0, 0), outer, fill=False, color=INK, lw=1.2, ls="--"))
    axes.add_patch(Annulus((0, 0), outer, width, color=_GAP, alpha=0.3, lw=0))
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


def _finish(axes: Axes, reach: float, title: str) -> None:
    reach = max(float(reach), 1e-6) * 1.15
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    axes.set_title(title, color=INK, fontsize=11, parse_math=False)
    axes.axis("off")
    if axes.get_legend_handles_labels()[0]:
        below: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.02)}
        axes.legend(**below, ncols=4, fontsize=8, frameon=False, labelcolor=PALE)
