"""Names beside points: each where there is room for it, and none over another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from transa.figures.canvas import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation
    from matplotlib.transforms import Bbox

_SIZE = 8.5
# Distances from the point, in points of the sheet, and directions from right round to right.
_DISTANCES, _DIRECTIONS = (7.0, 14.0, 22.0), 12
# Half the width of a marker, in pixels, which no name may cover.
_MARKER = 6.0


@dataclass(frozen=True, eq=False)
class Labels:
    """Names to put beside points.

    Attributes:
        axes: where the points are.
        x: of the points.
        y: of the points.
        names: of the points.
        order: which of them are to be named, the most important first.
    """

    axes: Axes
    x: NDArray[Any]
    y: NDArray[Any]
    names: list[str]
    order: Sequence[int]


def label_points(labels: Labels) -> list[Annotation]:
    """Put names beside points, and leave out those that have no room.

    To be called when nothing else is to be added to the figure.
    """
    axes, x, y = labels.axes, labels.x, labels.y
    axes.figure.draw_without_rendering()  # type: ignore[union-attr]
    # From here on everything stays where it is, whatever names are added.
    axes.figure.set_layout_engine("none")  # type: ignore[union-attr]
    spots = axes.transData.transform(np.column_stack([x, y]))
    sheet = axes.get_window_extent()
    taken: list[Bbox] = []
    placed = []
    for i in labels.order:
        label = _text(axes, x[i], y[i], labels.names[i])
        # Outwards from the middle first.
        outwards = math.atan2(float(y[i]), float(x[i]))
        if _find_room(label, outwards, spots, taken, sheet):
            taken.append(label.get_window_extent().padded(1))
            placed.append(label)
        else:
            label.remove()
    return placed


def _text(axes: Axes, x: float, y: float, name: str) -> Annotation:
    from matplotlib.patheffects import withStroke

    return axes.annotate(
        name,
        (x, y),
        xytext=(0, 0),
        textcoords="offset points",
        va="center",
        fontsize=_SIZE,
        color=INK,
        parse_math=False,
        zorder=6,
        path_effects=[withStroke(linewidth=2.5, foreground="white")],
    )


def _find_room(
    label: Annotation, first: float, spots: NDArray[Any], taken: list[Bbox], sheet: Bbox
) -> bool:
    """Move a name to the nearest place where it covers no other name and no point."""
    turns = sorted(range(_DIRECTIONS), key=lambda turn: min(turn, _DIRECTIONS - turn))
    for distance in _DISTANCES:
        for turn in turns:
            angle = first + 2 * math.pi * turn / _DIRECTIONS
            right, up = math.cos(angle), math.sin(angle)
            label.set_horizontalalignment(
                "left" if right > 0.3 else "right" if right < -0.3 else "center"
            )
            label.set_position((distance * right, distance * up))
            box = label.get_window_extent()
            inside = sheet.x0 <= box.x0 and box.x1 <= sheet.x1
            if inside and not box.count_overlaps(taken) and not _covers(box, spots):
                return True
    return False


def _covers(box: Bbox, spots: NDArray[Any]) -> bool:
    near = box.padded(_MARKER)
    x, y = spots.T
    return bool(((near.x0 < x) & (x < near.x1) & (near.y0 < y) & (y < near.y1)).any())
