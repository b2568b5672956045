"""Bars for what takes a while, on stderr."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from transa.cli.output import notes

if TYPE_CHECKING:
    from rich.progress import Progress

    from transa.settings.recipe import Recipe
    from transa.storage.record import EpochReport


@contextmanager
def training_progress(
    recipe: Recipe, *, hidden: bool = False
) -> Iterator[Callable[[EpochReport], None]]:
    """A bar with loss, mean margin, validation metric and time left, moved on by each report."""
    with _bar(hidden) as bar:
        task = bar.add_task("first epoch", total=recipe.epochs)

        last: list[EpochReport] = []

        def report(epoch: EpochReport) -> None:
            last[:] = [epoch]
            bar.update(task, completed=epoch.epoch, description=_line(epoch, recipe.stop_on))

        yield report
        # A run that has stopped early is complete too, and has no time left.
        for epoch in last:
            told = _line(replace(epoch, seconds_left=0), recipe.stop_on)
            bar.update(task, total=epoch.epoch, description=told)


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
        BarColumn(24),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        console=notes(),
        disable=hidden,
        transient=transient,
    )


def _line(epoch: EpochReport, metric: str) -> str:
    parts = [f"loss {epoch.loss:.3f}", f"margin {epoch.mean_margin:.2f}"]
    if epoch.best is not None:
        parts.append(f"best {metric.upper()} {_metric(epoch.best)}")
    left = f"{_clock(epoch.seconds_left)} left" if epoch.seconds_left else _clock(epoch.seconds)
    return "  ".join([*parts, left])


def _metric(value: float) -> str:
    return f"{value:.3f}" if value < 1 else f"{value:.1f}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"
