"""What all figures have in common: the sheet, its colours, its file. Needs the extra `figures`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from transa.errors import ConfigError, optional
from transa.files.whole import whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, PALE = "#22313f", "#8795a1"
BLUE, RED, SAND, GOLD = "#2b7bba", "#d1495b", "#c9a66b", "#edae49"
_FORMATS = (".png", ".svg", ".pdf")


def new_figure(path: Path, size: tuple[float, float]) -> Figure:
    """An empty sheet, of inches, for a file of that name."""
    if path.suffix not in _FORMATS:
        raise ConfigError(f"{path}: a figure is one of {', '.join(_FORMATS)}")
    made: Figure = optional("matplotlib.figure", "figures", "a figure").Figure(
        figsize=size, layout="constrained", facecolor="white"
    )
    return made


def set_title(figure: Figure, title: str) -> None:
    """Say at its top what it shows."""
    figure.suptitle(title, color=INK, fontsize=12, parse_math=False)


def write_figure(figure: Figure, path: Path) -> None:
    """Write it, whole or not at all."""
    with whole_file(path) as part:
        figure.savefig(part, format=path.suffix[1:], dpi=150)
