"""What the experiments' plots have in common. Needs the extra `figures`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from transa.errors import ConfigError
from transa.files.whole import whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, PALE = "#22313f", "#8795a1"
FIXED, ADAPTIVE, BOUND = "#2b7bba", "#d1495b", "#c9a66b"
SERIES = ("#2b7bba", "#d1495b", "#3a9a6b", "#c9a66b", "#7b5ea7", "#22313f")


@contextmanager
def panels(path: Path, titles: list[str], columns: int = 3) -> Iterator[list[Axes]]:
    """One pair of axes for each title, in rows; the picture is written when the block ends."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ConfigError("plots need matplotlib: pip install 'transa[figures]'") from None

    columns = min(columns, len(titles))
    rows = -(-len(titles) // columns)
    figure = Figure(figsize=(4.4 * columns, 3.6 * rows), layout="constrained", facecolor="white")
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for pane, title in zip(axes, titles, strict=False):
        pane.set_title(title, color=INK, fontsize=11, parse_math=False)
        pane.spines[["top", "right"]].set_visible(False)
        pane.tick_params(colors=INK, labelsize=8)
    for pane in axes[len(titles) :]:
        pane.axis("off")
    yield axes[: len(titles)]
    with whole_file(path) as part:
        # Without a date and version in it, the same records give the same bytes.
        figure.savefig(part, format=path.suffix[1:], dpi=110, metadata={"Software": None})
