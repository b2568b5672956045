"""Bars for what takes a while, on stderr; where that is no terminal, a line every so often."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from transa.cli.output import notes, say

if TYPE_CHECKING:
    from rich.progress import Progress

    from transa.settings.recipe import Recipe
    from transa.storage.record import EpochReport

# Columns that a bar and all there is to say of an epoch take.
_WIDE = 90


@contextmanager
def training_progress(
    recipe: Recipe, *, hidden: bool = False
) -> Iterator[Callable[[EpochReport], None] | None]:
    """What to call after every epoch: a bar with loss, mean margin, best metric and time left."""
    from transa.tracking.progress import Log, watched

    if hidden or not notes().is_terminal:
        with watched(None if hidden else Log(recipe, say)) as report:
            yield report
        return
    with _bar(hidden) as bar, watched(_Bar(bar, recipe)) as report:
        yield report


class _Bar:
    """A bar that a run moves on."""

    def __init__(self, bar: Progress, recipe: Recipe) -> None:
        self._bar, self._recipe = bar, recipe
        self._task = bar.add_task("first epoch", total=recipe.epochs)
        self._last: EpochReport | None = None

    def compiling(self, begins: bool) -> None:
        from transa.tracking.progress import COMPILING

        # Whole, since a bar beside it would leave no room.
        if begins:
            say(COMPILING)

    def epoch(self, report: EpochReport) -> None:
        self._last = report
        self._bar.update(self._task, completed=report.epoch, description=self._line(report))

    def end(self) -> None:
        # A run that has stopped early is complete too, and has no time left.
        if self._last is not None:
            told = self._line(self._last, over=True)
            self._bar.update(self._task, total=self._last.epoch, description=told)

    def _line(self, report: EpochReport, *, over: bool = False) -> str:
        from transa.tracking.progress import line_of

        brief = notes().width < _WIDE
        return line_of(report, self._recipe.stop_on, over=over, brief=brief)


@contextmanager
def ranking_progress(
    *, hidden: bool = False, what: str = "ranks"
) -> Iterator[Callable[[int, int], None]]:
    """A bar for ranks and the like, which vanishes at the end; there is none without a terminal."""
    with _bar(hidden or not notes().is_terminal, transient=True) as bar:
        task = bar.add_task("ranking", total=None)

        def progress(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, description=what)

        yield progress


def _bar(hidden: bool, *, transient: bool = False) -> Progress:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

    return Progress(
        SpinnerColumn(finished_text="[green]✓[/]"),
        BarColumn(24 if notes().width >= _WIDE else 8),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        console=notes(),
        disable=hidden,
        transient=transient,
    )
