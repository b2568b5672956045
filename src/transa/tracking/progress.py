"""How far a run is, for people who watch it: as lines of a log, and as a bar in a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any, Protocol

from transa.kernels.jit import told_of_compiling
from transa.settings.recipe import Recipe
from transa.storage.record import EpochReport

COMPILING = "compiling kernels for these settings, which is done once and takes some ten seconds"

# Seconds between two lines of a log; in a long run so much of what it has taken so far.
_PAUSE, _SHARE = 10.0, 0.05


class Shown(Protocol):
    """Somewhere to show how far a run is."""

    def compiling(self, begins: bool) -> None:
        """Called as compiling begins, and as it is done."""

    def epoch(self, report: EpochReport) -> None:
        """Called after every epoch."""

    def end(self) -> None:
        """Called once at the end."""


def line_of(epoch: EpochReport, metric: str, *, over: bool = False, brief: bool = False) -> str:
    """An epoch in a line: loss, margin, the best so far and the time, left or taken."""
    parts = [f"loss {epoch.loss:.3f}"]
    if not brief:
        parts.append(f"margin {epoch.mean_margin:.2f}")
    if epoch.best is not None:
        parts.append(f"best {metric.upper()} {_metric(epoch.best)}")
    if over or not epoch.seconds_left:
        parts.append(_clock(epoch.seconds))
    elif epoch.epoch > 1:  # the first one may have waited for kernels to be compiled
        parts.append(f"{_clock(epoch.seconds_left)} left")
    return "  ".join(parts)


class Log:
    """A line after the first epoch, then every so often, and one at the end."""

    def __init__(
        self,
        recipe: Recipe,
        write: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._recipe, self._write, self._clock = recipe, write, clock
        self._due = -1.0
        self._last: EpochReport | None = None
        self._is_told = False

    def compiling(self, begins: bool) -> None:
        """Say so as it begins."""
        if begins:
            self._write(COMPILING)

    def epoch(self, report: EpochReport) -> None:
        """Write a line, if one is due."""
        self._last, self._is_told = report, self._clock() >= self._due
        if self._is_told:
            self._due = self._clock() + max(_PAUSE, _SHARE * report.seconds)
            self._tell(report, over=report.epoch == report.epochs)

    def end(self) -> None:
        """Write the last line, if it is not written."""
        if self._last is not None and not (self._is_told and self._last.seconds_left == 0):
            self._tell(self._last, over=True)

    def _tell(self, report: EpochReport, over: bool) -> None:
        told = line_of(report, self._recipe.stop_on, over=over)
        self._write(f"epoch {report.epoch} of {report.epochs}  {told}")


class Notebook:
    """A bar in a notebook, by nothing but IPython's display: no widgets are needed."""

    def __init__(self, recipe: Recipe) -> None:
        from IPython import display

        self._recipe, self._due = recipe, 0.0
        # IPython has no types.
        show: Any = display.display
        self._as_html: Any = display.HTML
        self._last: EpochReport | None = None
        self._display = show(self._bar(0, "first epoch"), display_id=True)

    def compiling(self, begins: bool) -> None:
        """Say so as it begins."""
        self._show(COMPILING if begins else "")

    def epoch(self, report: EpochReport) -> None:
        """Move the bar, a few times a second at most."""
        self._last = report
        if time.monotonic() >= self._due:
            self._due = time.monotonic() + 0.2
            self._show(line_of(report, self._recipe.stop_on))

    def end(self) -> None:
        """Leave the last state."""
        if self._last is not None:
            self._show(line_of(self._last, self._recipe.stop_on, over=True))

    def _show(self, words: str) -> None:
        done = self._last.epoch if self._last else 0
        self._display.update(self._bar(done, words))

    def _bar(self, done: int, words: str) -> object:
        total = self._recipe.epochs
        bar = f'<progress value="{done}" max="{total}"></progress>'
        return self._as_html(f"{bar} epoch {done} of {total} {escape(words)}")


@contextmanager
def watched(shown: Shown | None) -> Iterator[Callable[[EpochReport], None] | None]:
    """What to call after every epoch while the block runs; None where nothing is to be shown."""
    if shown is None:
        yield None
        return
    is_told = []

    def compiling(begins: bool) -> None:
        # Of several kernels the first is enough to hear of.
        if begins not in is_told:
            is_told.append(begins)
            shown.compiling(begins)

    with told_of_compiling(compiling):
        try:
            yield shown.epoch
        finally:
            shown.end()


def progress_for(recipe: Recipe, wanted: bool | None) -> Shown | None:
    """A bar in a notebook, unless it is not wanted; elsewhere lines on stderr, if they are."""
    if wanted is False:
        return None
    if in_notebook():
        return Notebook(recipe)
    return Log(recipe, lambda line: print(line, file=sys.stderr)) if wanted else None  # noqa: T201


def in_notebook() -> bool:
    """Whether this runs in the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and hasattr(shell, "kernel")


def _metric(value: float) -> str:
    return f"{value:.3f}" if value < 1 else f"{value:.1f}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"
