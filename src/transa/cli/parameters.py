"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def in_panel(panel: str, help_: str, metavar: str | None = None, name: str | None = None) -> Any:  # noqa: ANN401
    """An option in a panel of the help; its name is the parameter's unless given."""
    names = [] if name is None else [name]
    return typer.Option(*names, help=help_, metavar=metavar, rich_help_panel=panel)


Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A model folder.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
Count = Annotated[int, typer.Option("-k", help="How many answers.")]
