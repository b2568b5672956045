"""How M_ent, M_rel and M_opt are distributed, and how they move while vectors are trained.

Training repeats itself to the bit on one thread, so a run of n epochs is a longer run's state after
n: each moment is a unit of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.running.defaults import default_settings
from experiments.running.records import Record
from experiments.running.runner import Runner
from experiments.running.scale import Scale
from experiments.running.unit import Task, Unit
from experiments.writing import plots
from experiments.writing.markdown import number, table
from transa.settings.config import Plain

if TYPE_CHECKING:
    from transa.estimator import Estimator

NAME = "margins"
TITLE = "How the margins are distributed, and how they move"
EPOCHS = (1, 2, 5, 10, 20, 50)
KINDS = ("M_ent", "M_rel", "M_opt")
_QUANTILES = np.linspace(0, 1, 21)


@dataclass(frozen=True)
class Quantiles(Task):
    """Twenty-one quantiles of each margin.

    Attributes:
        rounds: draws an entity of the reading `active`, more than in training: to see M_ent, not
            the luck of the draw.
    """

    rounds: int = 20

    def measure(self, model: Estimator, split: str, threads: int) -> Plain:  # noqa: ARG002
        """M_ent over entities, M_rel over entities' relations, M_opt over triples; both sides."""
        of = {"M_ent": self._of(model, 1.0, columns=1), "M_rel": self._of(model, 0.0, columns=2)}
        of["M_opt"] = self._of(model, model.adaptive.mu, columns=3)
        told: Plain = {f"median {name}": float(np.median(found)) for name, found in of.items()}
        for name, found in of.items():
            told[name] = np.quantile(found, _QUANTILES).round(4).tolist()
        return told

    def _of(self, model: Estimator, mu: float, columns: int) -> np.ndarray:
        """Margins with that μ, one for each distinct beginning of a triple, from either side."""
        from transa.margins.adaptive import adaptive_margins

        triples, vectors = model.graph_.train, model.parameters_
        at_head, at_tail = adaptive_margins(
            triples,
            vectors["entity"],
            vectors["relation"],
            mu=mu,
            norm=model.model_.norm,
            reading=model.adaptive.reading,
            rounds=self.rounds,
        )
        _, first = np.unique(triples[:, :columns], axis=0, return_index=True)
        _, first_mirrored = np.unique(triples[:, ::-1][:, :columns], axis=0, return_index=True)
        return np.concatenate([at_head[first], at_tail[first_mirrored]])


def units(scale: Scale) -> list[Unit]:
    """Each graph after each number of epochs."""
    found = []
    for graph in scale.graphs_or("kinship", "codex-s", "wn18"):
        default = default_settings(graph)
        for epochs in EPOCHS[:3] if scale.quick else EPOCHS:
            recipe = replace(default.recipe, epochs=epochs, validate_every=0)
            settings = replace(default, recipe=recipe)
            found.append(Unit(NAME, {"epochs": epochs}, graph, settings, Quantiles()))
    return found


def run(runner: Runner, scale: Scale) -> None:
    """Train to each moment and look."""
    planned = units(scale)
    runner.validated(planned)
    runner.tidy(planned)


def section(records: Sequence[Record], pictures: Path) -> str:
    """Medians in a table, spans in a plot."""
    records = sorted(records, key=lambda r: (r.graph, r.label("epochs")))
    _draw(pictures / "margins.png", records)
    header = ["graph", "epochs"]
    header += [f"{kind} {which}" for kind in KINDS for which in ("median", "5 % … 95 %")]
    rows = [
        [record.graph, str(record.label("epochs")), *(c for k in KINDS for c in _cells(record, k))]
        for record in records
    ]
    return "\n\n".join(
        [
            "TransA with its fixed defaults, looked at after so many epochs. M_ent is over "
            "entities, M_rel over entities and their relations, M_opt over triples, both sides "
            "together. In the plot, the line is the median, the shade spans 5 % to 95 %.",
            table(header, rows),
            "![Margins while vectors are trained](images/results/margins.png)",
        ]
    )


def _cells(record: Record, kind: str) -> list[str]:
    quantiles = record.validation[kind]
    return [number(quantiles[10], 2), f"{quantiles[1]:.2f} … {quantiles[19]:.2f}"]


def _draw(path: Path, records: Sequence[Record]) -> None:
    graphs = list(dict.fromkeys(record.graph for record in records))
    with plots.panels(path, graphs) as panes:
        for pane, graph in zip(panes, graphs, strict=True):
            of_graph = [r for r in records if r.graph == graph]
            epochs = [r.label("epochs") for r in of_graph]
            for kind, colour in zip(KINDS, plots.SERIES, strict=False):
                low, middle, high = ([r.validation[kind][i] for r in of_graph] for i in (1, 10, 19))
                pane.plot(epochs, middle, marker="o", ms=4, color=colour, label=kind)
                pane.fill_between(epochs, low, high, color=colour, alpha=0.15, lw=0)
            pane.set(xlabel="epochs", ylabel="margin", xscale="log")
            pane.legend(frameon=False, fontsize=8)
