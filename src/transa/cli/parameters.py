"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A model folder.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
Count = Annotated[int, typer.Option("-k", help="How many answers.")]
