"""The results as a picture: a row a bar, a dot a point, as a share of what the bar asks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from benchmarks.records import RESULTS, Results, Score
from benchmarks.report import all_results, figure

MET, NOT_MET = "#2a7f62", "#c8553d"


def draw(folder: Path) -> None:
    """Write speed.png beside the results; says why if it cannot."""
    try:
        import matplotlib as mpl
    except ImportError:
        print("no picture: matplotlib is not installed (pip install 'transa[figures]')")
        return
    rows = list(chain.from_iterable(map(rows_of, all_results(folder))))
    if not rows:
        return
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    picture, axis = plt.subplots(figsize=(8, 1 + 0.35 * len(rows)))
    for height, (_, scores) in enumerate(rows):
        for score in scores:
            low, middle, high = shares(score)
            colour = MET if score.met else NOT_MET
            axis.plot([low, high], [height, height], color=colour, alpha=0.25, linewidth=3)
            axis.plot(middle, height, "o", color=colour, alpha=0.8, markersize=5)
    axis.axvline(1.0, color="black", linewidth=1)
    axis.set_xscale("log")
    axis.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=8)
    axis.invert_yaxis()
    axis.set_xlabel("share of the bar: right of the line is met; a dot a point, with its rounds")
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
    picture.tight_layout()
    picture.savefig(folder / "speed.png", dpi=130)
    plt.close(picture)


def rows_of(results: Results) -> Iterator[tuple[str, list[Score]]]:
    """The scores of each kind that has a bar, and what to call it."""
    kinds: dict[str, list[Score]] = {}
    for score in chain.from_iterable(point.scores for point in results.points):
        if score.bar is not None:
            kinds.setdefault(score.what, []).append(score)
    for what, scores in kinds.items():
        bars = {score.bar for score in scores}
        bar = (
            f"{scores[0].sense} {figure(scores[0].bar or 0)}" if len(bars) == 1 else "each its bar"
        )
        yield f"{results.work.replace('_', ' ')}: {what} ({bar})", scores


def shares(score: Score) -> tuple[float, float, float]:
    """The least, the median and the most of the rounds, such that 1 just meets the bar."""
    bar = score.bar or 1.0
    low, high = min(score.values), max(score.values)
    if score.sense == "at least":
        return low / bar, score.median / bar, high / bar
    return bar / high, bar / score.median, bar / low


if __name__ == "__main__":
    draw(RESULTS)
