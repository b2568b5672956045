"""Arguments and options that several commands share."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer


def in_panel(
    panel: str | None, help_: str, metavar: str | None = None, name: str | None = None
) -> Any:  # noqa: ANN401
    """An option in a panel of the help; its name is the parameter's unless given."""
    names = [] if name is None else [name]
    return typer.Option(*names, help=help_, metavar=metavar, rich_help_panel=panel)


def argument(help_: str, metavar: str) -> Any:  # noqa: ANN401
    """An argument, which has no default worth showing."""
    return typer.Argument(metavar=metavar, help=help_, show_default=False)


option = partial(in_panel, None)

Folder = Annotated[Path, argument("A model folder.", "DIR")]
Json = Annotated[bool, option("Print JSON, for machines.", name="--json")]
Count = Annotated[int, option("How many answers.", name="-k")]
Overwrite = Annotated[
    bool, option("Replace a finished model that is in the folder.", name="--overwrite")
]
UseIndex = Annotated[
    bool, option("Ask the index that `transa index` made, not every entity.", name="--index")
]
