"""Rich tables where there is no terminal: as plain text."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType


def as_text(renderable: RenderableType) -> str:
    """What Rich would print, without colours, not wrapped, no blanks at line ends."""
    from rich.console import Console

    console = Console(file=io.StringIO(), width=160, color_system=None)
    with console.capture() as captured:
        console.print(renderable)
    return "\n".join(line.rstrip() for line in captured.get().splitlines()).strip("\n")
