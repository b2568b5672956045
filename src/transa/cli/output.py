"""Where things are printed: results on stdout, everything else on stderr."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import IO, TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from rich.console import Console

    from transa.printing import Table

_WIDTH_OF_A_PIPE = 120


class _Remarks:
    """stderr, which nobody has to read: when its reader is gone or its disk full, work goes on."""

    def write(self, text: str) -> int:
        with suppress(OSError):
            sys.stderr.write(text)
        return len(text)

    def flush(self) -> None:
        try:
            sys.stderr.flush()
        except OSError:
            drop(sys.stderr)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 (whatever a stream has)
        return getattr(sys.stderr, name)


def drop(stream: IO[str]) -> None:
    """Let what is still to be written to a stream go nowhere."""
    # Not all have a descriptor: a test's, a notebook's.
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


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

    return Console(file=cast("IO[str]", _Remarks()), highlight=False)


def say(line: str) -> None:
    """A remark: no markup, and no line breaks that would cut a path in two."""
    notes().print(line, markup=False, soft_wrap=True)


def print_json(content: Mapping[str, Any]) -> None:
    """A JSON document on stdout; in ASCII where not every character can be written."""
    ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    sys.stdout.write(json.dumps(content, indent=2, ensure_ascii=ascii_only) + "\n")


def plain_table(*columns: str) -> Table:
    """A table in the house style: the first column are names, the others numbers."""
    from transa.printing import Table

    return Table(*columns)


def print_title(title: str) -> None:
    """What the table that follows shows."""
    results().print(title, style="bold", markup=False, soft_wrap=True)


def print_next(*commands: tuple[str, ...]) -> None:
    """What to try next: commands that can be pasted."""
    notes().print("\n[bold]Next[/]")
    for command in commands:
        say("  " + shlex.join(command))
