"""What a search found: tables for people, plain data for machines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from transa.searching.record import CONFIG, MODEL, Record, Tried, by_quality
from transa.tables import Rows, as_text

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

    from transa.estimator import Estimator

_MOST_SHOWN = 5


@dataclass(frozen=True, repr=False)
class Trials(Rows[Tried]):
    """Trials, best first; those without a value at the end."""

    rows: tuple[Tried, ...]
    title: str = "trials"

    schema: ClassVar[Mapping[str, Any]] = {}

    def to_polars(self) -> Any:  # noqa: ANN401 (a Polars frame)
        """A Polars frame; what was chosen is text."""
        import polars as pl

        return pl.DataFrame([{**row, "chosen": str(row["chosen"])} for row in self.to_dicts()])

    def __rich__(self) -> Table:
        return _table(self.title, self.rows)


@dataclass(frozen=True, repr=False)
class SearchResult:
    """The models compared, the trials over their settings, and the winner. Prints as tables.

    Attributes:
        folder: where the search is; `folder / "model"` is the winner, `folder / "config.yaml"` what
            it was trained by.
        record: everything that was tried.
        stopped: whether it was interrupted; the winner is the best so far.
    """

    folder: Path
    record: Record
    stopped: bool = False

    @property
    def model(self) -> Path:
        """The model folder of the winner."""
        return self.folder / MODEL

    @property
    def config(self) -> Path:
        """The winner's settings, which `transa train --config` takes."""
        return self.folder / CONFIG

    @property
    def candidates(self) -> Trials:
        """Which model for this graph: each by its defaults, best first."""
        first: dict[str, Tried] = {}
        for each in self.record.trials:
            if each.by == "defaults" and (each.model not in first or _is_better(each, first)):
                first[each.model] = each
        return Trials(_in_order(first.values()), "Which model: each by its defaults")

    @property
    def searched(self) -> Trials:
        """The trials over settings, best first."""
        trials = [each for each in self.record.trials if each.by == "search"]
        return Trials(_in_order(trials), "The best of the search over settings")

    @property
    def winner(self) -> Tried:
        """The best trial on the validation split."""
        assert self.record.best is not None  # noqa: S101 (a search without one has raised)
        return self.record.best

    @property
    def test(self) -> Mapping[str, float] | None:
        """The winner on the test split, looked at once, at the end; None where there was none."""
        return self.record.test if self.record.tested == self.record.winner else None

    def load(self) -> Estimator:
        """The winner."""
        from transa.estimator import load

        return load(self.model)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "folder": str(self.folder),
            "model": str(self.model),
            "config": str(self.config),
            "graph": self.record.graph,
            "seconds": round(self.record.seconds, 1),
            "stopped": self.stopped,
            "winner": asdict(self.winner),
            "test": self.test,
            "candidates": self.candidates.to_dicts(),
            "searched": self.searched.to_dicts(),
        }

    def __rich__(self) -> Group:
        from rich.console import Group
        from rich.text import Text

        searched = self.searched
        parts = [_table(searched.title, searched.rows[:_MOST_SHOWN])] if searched else []
        return Group(self.candidates.__rich__(), *parts, Text(_last_line(self)))

    def __str__(self) -> str:
        return as_text(self)

    __repr__ = __str__


def _is_better(each: Tried, first: Mapping[str, Tried]) -> bool:
    return (each.mrr or 0) > (first[each.model].mrr or 0)


def _in_order(trials: Any) -> tuple[Tried, ...]:  # noqa: ANN401 (whatever can be gone through)
    trials = list(trials)
    return (*by_quality(trials), *(each for each in trials if each.mrr is None))


def _last_line(found: SearchResult) -> str:
    best, count = found.winner, len(found.record.trials)
    how = "its defaults" if best.by == "defaults" else in_words(best.chosen)
    line = (
        f"Best of {count} trial{'s' if count != 1 else ''}: {best.model}, {how}; "
        f"validation MRR {best.mrr:.3f}"
    )
    return line if found.test is None else f"{line}, test MRR {found.test['mrr']:.3f}"


def in_words(chosen: Mapping[str, Any]) -> str:
    """What was chosen, in a line."""
    return ", ".join(
        f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in chosen.items()
    )


def _table(title: str, rows: tuple[Tried, ...]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    table.add_column("model")
    for column in ("validation MRR", "seconds", "epochs", "MB"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("remark", overflow="fold")
    for row in rows:
        table.add_row(
            row.model,
            "–" if row.mrr is None else f"{row.mrr:.3f}",
            f"{row.seconds:.1f}",
            f"{row.epochs} of {row.planned}",
            f"{row.megabytes:.1f}",
            Text("; ".join(filter(None, (_how(row), row.why, in_words(row.chosen))))),
        )
    return table


def _how(row: Tried) -> str:
    return "" if row.ended == "finished" or row.why else row.ended
