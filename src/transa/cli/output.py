"""Where things are printed: results on stdout, everything else on stderr."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_WIDTH_OF_A_PIPE = 120


@cache
def results() -> Console:
    """The console of results."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else _WIDTH_OF_A_PIPE
    return Console(highlight=False, width=width)


@cache
def notes() -> Console:
    """The console of progress and remarks."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def say(line: str) -> None:
    """A remark: no markup, and no line breaks that would cut a path in two."""
    notes().print(line, markup=False, soft_wrap=True)


def print_json(content: Mapping[str, Any]) -> None:
    """A JSON document on stdout; in ASCII where not every character can be written."""
    ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    sys.stdout.write(json.dumps(content, indent=2, ensure_ascii=ascii_only) + "\n")


def plain_table(*columns: str) -> Table:
    """A table in the house style: the first column are names, the others numbers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for position, column in enumerate(columns):
        table.add_column(column, justify="right" if position else "left", overflow="fold")
    return table


def print_title(title: str) -> None:
    """What the table that follows shows."""
    results().print(title, style="bold", markup=False, soft_wrap=True)


def print_next(*commands: tuple[str, ...]) -> None:
    """What to try next: commands that can be pasted."""
    notes().print("\n[bold]Next[/]")
    for command in commands:
        say("  " + shlex.join(command))
