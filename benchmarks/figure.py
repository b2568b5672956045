"""The results as a picture: every score as a share of its bar."""

from __future__ import annotations

from pathlib import Path

from benchmarks.records import Results, Score
from benchmarks.report import all_results

MET, NOT_MET = "#2a7f62", "#c8553d"


def draw(folder: Path) -> None:
    """Write speed.png beside the results; says why if it cannot."""
    try:
        import matplotlib as mpl
    except ImportError:
        print("no picture: matplotlib is not installed (pip install 'transa[figures]')")
        return
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    groups = [(results, rows) for results in all_results(folder) if (rows := rows_of(results))]
    if not groups:
        return
    heights = [len(rows) + 2.5 for _, rows in groups]
    figure, axes = plt.subplots(
        len(groups), 1, figsize=(9, 0.2 * sum(heights)), height_ratios=heights, squeeze=False
    )
    for axis, (results, rows) in zip(axes[:, 0], groups, strict=True):
        names, shares, errors = zip(*((n, m, e) for n, m, e in map(share_of, rows)), strict=True)
        colours = [MET if score.met else NOT_MET for _, score in rows]
        axis.barh(names, shares, color=colours, xerr=list(zip(*errors, strict=True)))
        axis.axvline(1.0, color="black", linewidth=1)
        axis.set_xscale("log")
        axis.invert_yaxis()
        axis.set_title(results.title, loc="left", fontsize=8)
        axis.tick_params(labelsize=6)
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
    axes[-1, 0].set_xlabel("share of the bar, right of the line is better (log scale)", fontsize=8)
    figure.tight_layout()
    figure.savefig(folder / "speed.png", dpi=130)
    plt.close(figure)


def rows_of(results: Results) -> list[tuple[str, Score]]:
    """The scores that have a bar, by name."""
    return [
        (f"{point.name}: {score.what}", score)
        for point in results.points
        for score in point.scores
        if score.bar is not None
    ]


def share_of(row: tuple[str, Score]) -> tuple[str, float, tuple[float, float]]:
    """A score as a share of its bar, such that more is better, and how far the rounds lie apart."""
    name, score = row
    shares = [
        value / score.bar if score.sense == "at least" else score.bar / value
        for value in (min(score.values), score.median, max(score.values))
    ]
    low, middle, high = sorted(shares)
    return name, middle, (middle - low, high - middle)


if __name__ == "__main__":
    from benchmarks.records import RESULTS

    draw(RESULTS)
