"""The paper's claim itself: no margin to search.

Under one recipe, TransA's fixed defaults but for the number of epochs, its adaptive margin against
a grid of twelve fixed ones. The best of the grid is chosen on validation triples, by MRR and by
mean rank: they do not agree on it, since a larger margin buys one with the other. The same under
the listwise loss is `margin_listwise`.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

from experiments.contests.comparison import ADAPTIVE, Contest, Measure, contests, draw, hold
from experiments.running.defaults import default_settings
from experiments.running.records import Record
from experiments.running.runner import Runner
from experiments.running.scale import Scale
from experiments.running.tasks import Links
from experiments.running.unit import Unit
from experiments.writing.markdown import number, share, spread, table
from transa.settings.config import Plain, make_settings, to_plain

NAME = "margin-free"
TITLE = "Margin-free: the adaptive margin against a grid of fixed ones"
# Smallest graph first.
GRAPHS = ("kinship", "codex-s", "wn18rr", "wn18", "fb15k-237", "fb15k")
MARGINS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0)
MEASURES: Mapping[Measure, str] = {
    "mrr": "MRR, validation",
    "mr": "filtered mean rank, validation",
}
QUICK_MARGINS = (0.0, 1.0, 2.0, 4.0, 6.0, 8.0)
# Enough to tell margins apart, not to set records: 13 runs and more a graph have to be paid for.
_EPOCHS = {"kinship": 100, "codex-s": 100, "wn18rr": 50, "wn18": 30, "fb15k-237": 10, "fb15k": 8}


def units(scale: Scale) -> list[Unit]:
    """Each graph with TransA's own margin and each of the grid; all seeds."""
    return [
        _unit(graph, margin, seed, scale)
        for graph in scale.graphs_or(*GRAPHS)
        for seed in scale.all_seeds
        for margin in _margins(scale)
    ]


def run(runner: Runner, scale: Scale) -> None:
    """The grid with one seed; then TransA and the best of the grid with all seeds, and tested."""
    for graph in scale.graphs_or(*GRAPHS):
        grid = [_unit(graph, margin, 0, scale) for margin in _margins(scale)]
        hold(runner, grid, scale.all_seeds, list(MEASURES))


def _margins(scale: Scale) -> tuple[str | float, ...]:
    return ADAPTIVE, *(QUICK_MARGINS if scale.quick else MARGINS)


def _unit(graph: str, margin: str | float, seed: int, scale: Scale) -> Unit:
    options: Plain = to_plain(default_settings(graph))
    model = "transa" if margin == ADAPTIVE else "transe"
    epochs = scale.epochs(_EPOCHS.get(graph, 50))
    changed = {"epochs": epochs, "validate_every": 0, "seed": seed, "model": model}
    if margin != ADAPTIVE:
        changed["margin"] = margin
    settings = make_settings(**{**options, **changed})
    return Unit(NAME, {"margin": margin}, graph, settings, Links())


def section(records: Sequence[Record], pictures: Path) -> str:
    """Both on test triples, what they cost, and the curve of the grid on validation triples."""
    found, unfinished = contests(records, list(MEASURES))
    parts = [
        "One recipe, TransA's fixed defaults with 200 dimensions, few epochs, no early stopping, "
        "and only the margin differs. The best of the grid of twelve is chosen on validation "
        "triples, by MRR and by filtered mean rank; ranks are of test triples. The cost of a fixed "
        "margin is that of its grid.",
        *told(found, unfinished, pictures / "margin-free.png"),
    ]
    return "\n\n".join(parts)


def told(found: Mapping[str, Contest], unfinished: Sequence[str], picture: Path) -> list[str]:
    """The verdicts of the contests that are over, their table and their picture."""
    order = [*GRAPHS, *sorted(set(found) - set(GRAPHS))]
    by_graph = {name: found[name] for name in order if name in found}
    missing = [name for name in GRAPHS if name not in found and name not in unfinished]
    parts = []
    if by_graph:
        draw(picture, by_graph, MEASURES)
        parts += [
            *(_sentence(_verdicts(by_graph, by, by)) for by in MEASURES),
            "A margin that is best by one need not be by the other. So, besides: "
            f"{_verdicts(by_graph, 'mr', 'mrr')}; {_verdicts(by_graph, 'mrr', 'mr')}.",
            "(Level: within twice the standard error of the difference, or within 1 %.)",
            table(_HEADER, [row for pair in by_graph.items() for row in _rows(*pair)]),
            "![MRR and mean rank on validation triples against the fixed margin, and TransA's own]"
            f"(images/results/{picture.name})",
        ]
    for what, names in (("Not finished", unfinished), ("Not run", missing)):
        if names:
            parts.append(f"{what}: {', '.join(names)}.")
    return parts


_HEADER = ("graph", "margin", "epochs", "filtered MR", "MRR", "Hits@10", "processor seconds")


def _rows(graph: str, contest: Contest) -> list[list[str]]:
    rows = [
        [graph, "adaptive", *_figures(contest.adaptive), number(_cost(contest.adaptive[:1]), 1)]
    ]
    by_margin: dict[float, list[str]] = {}
    for by, records in contest.best.items():
        by_margin.setdefault(records[0].label("margin"), []).append(by.upper())
    for margin, measures in by_margin.items():
        records = contest.best["mrr" if "MRR" in measures else "mr"]
        name = f"fixed {margin:g}, best of {len(contest.grid)} by {' and '.join(measures)}"
        rows.append([graph, name, *_figures(records), number(_cost(contest.grid), 1)])
    return rows


def _figures(records: Sequence[Record]) -> list[str]:
    def of(name: str) -> list[float]:
        return [record.test[name] for record in records if record.test is not None]

    epochs = str(records[0].settings["epochs"])
    return [epochs, spread(of("mr"), 1), share(of("mrr")), share(of("hits@10"))]


def _cost(records: Sequence[Record]) -> float:
    return sum(float(record.made["processor_seconds_training"]) for record in records)


def _verdicts(by_graph: Mapping[str, Contest], by: Measure, chosen_by: Measure) -> str:
    told = ", ".join(
        f"{_verdict(contest, by, chosen_by)} on {name}" for name, contest in by_graph.items()
    )
    return (
        f"by {by.upper()} on test triples, against the fixed margin chosen by {chosen_by.upper()}, "
        f"the adaptive one is {told}"
    )


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def _verdict(contest: Contest, by: Measure, chosen_by: Measure) -> str:
    fixed, adaptive = (
        [float(record.test[by]) for record in records if record.test is not None]
        for records in (contest.best[chosen_by], contest.adaptive)
    )
    gain = statistics.fmean(adaptive) - statistics.fmean(fixed)
    if by == "mr":
        gain = -gain
    errors = (statistics.variance(of) / len(of) for of in (fixed, adaptive) if len(of) > 1)
    if abs(gain) <= max(0.01 * statistics.fmean(fixed), 2 * sum(errors) ** 0.5):
        return "level"
    return "better" if gain > 0 else "worse"
