"""The results as a table for the terminal, and as markdown for README and docs/speed.md.

``python -m benchmarks.report`` prints the first, ``--markdown`` the second, ``--summary`` a line a
bar, with its worst point.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import works
from benchmarks.records import RESULTS, Point, Results, Score, Side, read_results

_VERDICTS = {True: "met", False: "not met", None: ""}


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--summary", action="store_true", help="as markdown, a line a bar")
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    if arguments.summary:
        print_summary(arguments.results)
    elif arguments.markdown:
        print_markdown(arguments.results)
    else:
        print_table(arguments.results)


def all_results(folder: Path) -> Iterator[Results]:
    """Of the works that have any, in their order."""
    for name in works.NAMES:
        results = read_results(folder, name)
        if results is not None:
            yield results


def line_of(point: Point) -> str:
    """One point in one line."""
    sides = ", ".join(side_text(side, point.unit) for side in point.sides)
    scores = "; ".join(score_text(score) for score in point.scores)
    return f"  {point.name}: {sides} | {scores}"


def side_text(side: Side, unit: str) -> str:
    """A contestant and its median."""
    setting = f" ({side.setting})" if side.setting else ""
    return f"{side.name} {figure(side.median)} {unit}{setting}"


def score_text(score: Score) -> str:
    """A score, how far its rounds lie apart, and what its bar says."""
    text = f"{figure(score.median)} {score.what} (spread {score.spread:.0%})"
    if score.bar is not None:
        text += f", {score.sense} {figure(score.bar)}: {_VERDICTS[score.met]}"
    return text


def figure(value: float) -> str:
    """Three digits, whatever the size."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def print_table(folder: Path) -> None:
    """A table a work."""
    console = Console(width=150)
    for results in all_results(folder):
        table = Table(title=caption(results), title_justify="left")
        for column in ("point", "medians", "score", "spread", "bar", ""):
            table.add_column(column)
        for point in results.points:
            for row in rows_of(point):
                table.add_row(*row)
        console.print(table)


def rows_of(point: Point) -> Iterator[tuple[str, ...]]:
    """A row a score; what is the same for all is said once."""
    medians = ", ".join(side_text(side, point.unit) for side in point.sides)
    heading = (point.name, medians)
    if not point.scores:
        yield (*heading, "", "", "", "")
    for score in point.scores:
        bar = "" if score.bar is None else f"{score.sense} {figure(score.bar)}"
        shown = f"{figure(score.median)} {score.what}"
        yield (*heading, shown, f"{score.spread:.0%}", bar, _VERDICTS[score.met])
        heading = ("", "")


def caption(results: Results) -> str:
    """What was done, where, and whether all of it."""
    place = f"{results.machine['cpu']}, {results.machine['cores']} cores"
    state = "" if results.complete else "; unfinished"
    return f"{results.title}\n({place}, commit {results.machine['commit']}{state})"


def print_markdown(folder: Path) -> None:
    """All points, a section a work."""
    for results in all_results(folder):
        print(f"\n### {results.title}\n")
        print("| point | medians | score | spread | bar | |\n|---|---|---|---|---|---|")
        for point in results.points:
            for row in rows_of(point):
                print(f"| {' | '.join(row)} |")
        for note in (*results.notes, *dict.fromkeys(n for p in results.points for n in p.notes)):
            print(f"\n{note}")


def print_summary(folder: Path) -> None:
    """A line for every bar: how many points, the worst and the best of them, the verdict."""
    print("| work | bar | worst | best | points | |\n|---|---|---|---|---|---|")
    for results in all_results(folder):
        kinds: dict[str, list[tuple[Point, Score]]] = {}
        for point in results.points:
            for score in point.scores:
                kinds.setdefault(score.what, []).append((point, score))
        for what, scored in kinds.items():
            print(f"| {results.title} | {' | '.join(summary_of(what, scored))} |")


def summary_of(what: str, scored: list[tuple[Point, Score]]) -> tuple[str, ...]:
    """The columns of one bar after the first."""
    first = scored[0][1]
    ordered = sorted(scored, key=lambda pair: pair[1].median, reverse=first.sense == "at most")
    (worst_point, worst), (_, best) = ordered[0], ordered[-1]
    met = sum(score.met is True for _, score in scored)
    if first.bar is None:
        bar, verdict = f"{what}: reported", ""
    else:
        bars = sorted({score.bar for _, score in scored if score.bar is not None})
        shown = figure(bars[0]) if len(bars) == 1 else f"{figure(bars[0])}–{figure(bars[-1])}"
        bar, verdict = f"{first.sense} {shown} {what}", f"met at {met} of {len(scored)}"
    worst_text = f"{figure(worst.median)} ({worst_point.name})"
    return bar, worst_text, figure(best.median), str(len(scored)), verdict


if __name__ == "__main__":
    main()
