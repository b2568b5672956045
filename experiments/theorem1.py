"""Theorem 1: the risk on held-out triples minus the empirical risk, against the margin.

The loss is the paper's, L = max(0, f + M − f′), with every f′ of a corrupted triple that the graph
does not have. Nothing is chosen here: all runs have the same length, and validation triples stand
for those to come.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.running.records import Record
from experiments.running.runner import Runner
from experiments.running.scale import Scale
from experiments.running.unit import Task, Unit
from experiments.writing import plots
from experiments.writing.markdown import number, spread, table
from transa.margins.risk_bound import gap_bound, hinge_loss
from transa.settings.config import Plain, make_settings

if TYPE_CHECKING:
    from transa.estimator import Estimator

NAME = "theorem1"
TITLE = "Theorem 1: the gap between risk and empirical risk, and its bound"
MARGINS = (0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 12.0)
QUICK_MARGINS = (0.5, 1.0, 2.0, 4.0)
DELTA = 0.05

_RECIPE: Mapping[str, object] = {
    "dim": 50,
    "norm": "l1",
    "loss": "hinge",
    "negatives": 1,
    "adversarial": 0.0,
    "sampling": "uniform",
    "optimiser": "sgd",
    "lr": 0.01,
    "constraint": "sphere",
    "average": False,
    "validate_every": 0,
    "patience": 0,
}


@dataclass(frozen=True)
class Risks(Task):
    """Both risks under the paper's loss, and what its theorem makes of them.

    Attributes:
        margin: M.
        corruptions: drawn for each triple.
        seed: of the corruptions.
    """

    margin: float
    corruptions: int = 8
    seed: int = 0

    def measure(self, model: Estimator, split: str, threads: int) -> Plain:  # noqa: ARG002
        """R on the split, R_emp on the training triples, f̂ over them, and n."""
        risk, _ = self._mean_loss(model, split)
        empirical, f_hat = self._mean_loss(model, "train")
        n = len(model.graph_.train)
        return {"gap": risk - empirical, "risk": risk, "empirical": empirical, "f_hat": f_hat,
                "n": n}  # fmt: skip

    def _mean_loss(self, model: Estimator, split: str) -> tuple[float, float]:
        """The mean loss of a split's triples, and their greatest energy."""
        from transa.graph.sampling import draw, known_of
        from transa.kernels.random import generator_state
        from transa.kernels.training.sampling import TAIL

        graph, energies = model.graph_, model.model_.energies
        known = known_of(graph.known, graph.n_entities, graph.n_relations, "uniform")
        begin = 0 if split == "train" else len(graph.train)
        which = np.arange(begin, begin + len(graph.split(split)))
        state = generator_state(self.seed, begin)
        sides, corrupted = draw(graph.known, which, known, self.corruptions, state)
        drawn = sides >= 0
        h, r, t = graph.known[which[drawn]].T
        f = energies(h, r, t)
        losses = []
        for other in corrupted[drawn].T:
            tails = sides[drawn] == TAIL
            f_corrupted = energies(np.where(tails, h, other), r, np.where(tails, other, t))
            losses.append(hinge_loss(f, f_corrupted, self.margin).mean())
        return float(np.mean(losses)), float(f.max())


def units(scale: Scale) -> list[Unit]:
    """Each graph, margin and seed."""
    margins = QUICK_MARGINS if scale.quick else MARGINS
    options = {**_RECIPE, "epochs": scale.epochs(100)}
    return [
        Unit(
            NAME,
            {"margin": margin},
            graph,
            make_settings("transe", margin=margin, seed=seed, **options),
            Risks(margin),
        )
        for graph in scale.graphs_or("kinship", "codex-s", "wn18")
        for margin in margins
        for seed in scale.all_seeds
    ]


def run(runner: Runner, scale: Scale) -> None:
    """Train and measure all; there is nothing to test."""
    planned = units(scale)
    runner.validated(planned)
    runner.tidy(planned)


def section(records: Sequence[Record], pictures: Path) -> str:
    """Both risks by margin, and the bound over the gap."""
    graphs = sorted({record.graph for record in records})
    rows = [
        _row(graph, margin, of_margin)
        for graph in graphs
        for margin, of_margin in _by_margin(records, graph).items()
    ]
    _draw(pictures / "theorem1.png", records, graphs)
    settings = records[0].settings
    holds = all(_bound(record) >= record.validation["gap"] for record in records)
    verdict = "holds in every run" if holds else "fails in some runs"
    header = ["graph", "margin", "R_emp", "R", "R − R_emp", "greatest f", f"bound, δ {DELTA:g}"]
    return "\n\n".join(
        [
            f"TransE, L1, d {settings['dim']}, hinge, SGD at {settings['lr']:g}, one negative, "
            f"{settings['epochs']} epochs, no early stopping. R is the mean loss of validation "
            "triples, R_emp of training triples, each against corruptions that the graph does "
            f"not have. The bound {verdict} and is far from tight: its second term does not fall "
            "with the number of triples (see `transa.margins.risk_bound`). What it says about the "
            "direction can be checked: the rank correlation of margin and gap is "
            f"{_correlations(records)}.",
            table(header, rows),
            "![The gap and its bound against the margin](images/results/theorem1.png)",
        ]
    )


def _by_margin(records: Sequence[Record], graph: str) -> dict[float, list[Record]]:
    found: dict[float, list[Record]] = {}
    for record in records:
        if record.graph == graph:
            found.setdefault(float(record.label("margin")), []).append(record)
    return dict(sorted(found.items()))


def _row(graph: str, margin: float, records: Sequence[Record]) -> list[str]:
    columns = {name: [r.validation[name] for r in records] for name in records[0].validation}
    risks = [spread(columns[name], 3) for name in ("empirical", "risk", "gap")]
    bound = statistics.fmean(map(_bound, records))
    return [graph, f"{margin:g}", *risks, number(max(columns["f_hat"]), 1), number(bound, 1)]


def _bound(record: Record) -> float:
    found = record.validation
    return gap_bound(float(record.label("margin")), found["f_hat"], found["n"], DELTA)


def _correlations(records: Sequence[Record]) -> str:
    """Spearman's, graph by graph."""
    told = []
    for graph in sorted({record.graph for record in records}):
        by_margin = _by_margin(records, graph)
        gaps = [statistics.fmean(r.validation["gap"] for r in of) for of in by_margin.values()]
        if len(gaps) > 1:
            order = np.argsort(np.argsort(gaps))
            value = np.corrcoef(order, np.arange(len(gaps)))[0, 1]
            told.append(f"{value:.2f} on {graph}")
    return ", ".join(told) or "not defined for one margin"


def _draw(path: Path, records: Sequence[Record], graphs: list[str]) -> None:
    with plots.panels(path, graphs) as panes:
        for pane, graph in zip(panes, graphs, strict=True):
            by_margin = _by_margin(records, graph)
            gaps = [[r.validation["gap"] for r in of] for of in by_margin.values()]
            bounds = [statistics.fmean(map(_bound, of)) for of in by_margin.values()]
            margins = list(by_margin)
            pane.plot(margins, bounds, color=plots.BOUND, label=f"bound, δ {DELTA:g}")
            means = [statistics.fmean(of) for of in gaps]
            pane.plot(margins, means, marker="o", color=plots.FIXED, label="R − R_emp")
            pane.set(xlabel="margin", yscale="log" if min(means) > 0 else "symlog")
            pane.legend(frameon=False, fontsize=8)
