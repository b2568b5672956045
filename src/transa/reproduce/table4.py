"""Table 4, triple classification: WN11, FB13 and FB15K.

TransA's recipes are data (`RECIPES`): whoever finds a better one on validation triples changes it
there. Negatives of WN11 and FB13 are the published ones, those of FB15K are made as theirs were.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from transa.config import make_settings
from transa.reproduce import paper
from transa.reproduce.lab import Lab
from transa.reproduce.markdown import number, spread, table
from transa.reproduce.records import Record
from transa.reproduce.scale import Scale
from transa.reproduce.tasks import Triples
from transa.reproduce.unit import Unit

if TYPE_CHECKING:
    from transa.evaluation.classifier import Unseen

NAME = "table4"
TITLE = "Table 4: triple classification"
GRAPHS = ("wn11", "fb13", "fb15k")


@dataclass(frozen=True)
class Classifying:
    """How a model is trained to tell true from false.

    Attributes:
        options: of the model and its recipe, where they are not the defaults.
        unseen: the treatment of entities that training never had.
    """

    options: Mapping[str, object] = field(default_factory=dict)
    unseen: Unseen = "none"


# What is best is another for each graph; what is not named here is trained with the defaults.
RECIPES: Mapping[str, Classifying] = {
    "wn11": Classifying({"epochs": 40}, "words+facts"),
    "fb13": Classifying({"epochs": 40}),
    "fb15k": Classifying({"epochs": 30}),
}
HEADLINE = "TransA"

_BASELINES: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "SE": ("se", {}),
    "SME(linear)": ("sme-linear", {}),
    "SLM": ("slm", {}),
    "LFM": ("lfm", {}),
    "NTN": ("ntn", {}),
    "TransH(unif)": ("transh", {"sampling": "uniform"}),
    "TransH(bern)": ("transh", {"sampling": "bernoulli"}),
}
_BASELINE_EPOCHS = 20


def units(scale: Scale) -> list[Unit]:
    """Every row of each graph; the headline with all seeds."""
    return [unit for graph in scale.graphs_or(*GRAPHS) for unit in _units(graph, scale)]


def _units(graph: str, scale: Scale) -> Iterator[Unit]:
    recipe = RECIPES.get(graph, Classifying())
    headline = make_settings("transa", **recipe.options)
    shorter = replace(headline.recipe, epochs=scale.epochs(headline.recipe.epochs))
    settings = replace(headline, recipe=shorter)
    unit = Unit(NAME, {"row": HEADLINE}, graph, settings, Triples(recipe.unseen))
    yield from (unit.with_seed(seed) for seed in scale.all_seeds)
    dim, epochs = (20, scale.epochs(_BASELINE_EPOCHS)) if scale.quick else (50, _BASELINE_EPOCHS)
    for row, (model, own) in _BASELINES.items():
        settings = make_settings(model, dim=dim, epochs=epochs, validate_every=0, **own)
        yield Unit(NAME, {"row": row}, graph, settings, Triples())


def run(lab: Lab, scale: Scale) -> None:
    """Train and test every row: there is no choice between them to make."""
    for unit in units(scale):
        lab.tested([unit])
        lab.tidy([unit])


def section(records: Sequence[Record], pictures: Path) -> str:  # noqa: ARG001
    """A row a model, a pair of columns a graph."""
    graphs = [*GRAPHS, *sorted({r.graph for r in records} - set(GRAPHS))]
    header = ["model", *(head for graph in graphs for head in (graph, f"{graph}, paper"))]
    rows = [
        [name, *(cell for graph in graphs for cell in _cells(name, graph, records))]
        for name in paper.TABLE_4
    ]
    unseen = ", ".join(
        f"{graph} {how}"
        for graph in graphs
        if (how := _unseen(records, graph)) not in (None, "none")
    )
    return "\n\n".join(
        [
            "Accuracy on test triples in per cent; thresholds are fitted on validation triples "
            f"(see [classification.md](classification.md)). TransA's recipe is chosen for each "
            f"graph on validation triples; entities that training never had: {unseen or 'none'}. "
            "The other models have this library's defaults, d 50 and few epochs, and were not "
            "tuned.",
            table(header, rows),
        ]
    )


def _cells(name: str, graph: str, records: Sequence[Record]) -> list[str]:
    tested = [
        100 * r.test["accuracy"]
        for r in records
        if r.graph == graph and r.label("row") == name and r.test is not None
    ]
    said = paper.TABLE_4[name].get(graph)
    return [spread(tested, 1) if tested else "not run", number(said, 1)]


def _unseen(records: Sequence[Record], graph: str) -> str | None:
    for record in records:
        if record.graph == graph and record.label("row") == HEADLINE:
            return str(record.unit["task"]["unseen"])
    return None
