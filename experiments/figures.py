"""Figures 1 and 2: the spheres round an entity, drawn from trained vectors.

The entity is not picked by hand: of those with few enough neighbours to be drawn, it is the first
that has most relations. Its record holds all that the drawing needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.running.records import Record
from experiments.running.runner import Runner
from experiments.running.scale import Scale
from experiments.running.unit import Task, Unit
from transa.graph import Graph, Vocabulary
from transa.margins import Adaptive
from transa.margins.spheres import Sphere, Spheres
from transa.models import FittedModel, TransEEnergy
from transa.settings.config import Plain, make_settings

if TYPE_CHECKING:
    from transa.estimator import Estimator

_EPOCHS = 30


@dataclass(frozen=True)
class Surroundings(Task):
    """The spheres round an entity, as a head.

    Attributes:
        most_neighbours: that it may have.
    """

    most_neighbours: int = 20

    def measure(self, model: Estimator, split: str, threads: int) -> Plain:  # noqa: ARG002
        """All that `transa.figures.spheres.draw_margins` needs, ids counted among those drawn."""
        graph = model.graph_
        spheres, _ = model.spheres(graph.entities.label(self._anchor(graph)))
        drawn = spheres.relations[0]
        ids = [spheres.anchor, *drawn.positives.tolist(), *drawn.negatives.tolist()]
        place = {entity: i for i, entity in enumerate(ids)}
        return {
            "margin": {"mu": model.adaptive.mu, "reading": model.adaptive.reading},
            "entities": [graph.entities.display(i) for i in ids],
            "vectors": model.parameters_["entity"][ids].round(4).tolist(),
            "relations": [
                {
                    "name": graph.relations.display(sphere.relation),
                    "positives": [place[i] for i in sphere.positives.tolist()],
                    "negatives": [place[i] for i in sphere.negatives.tolist()],
                    "positive_distances": sphere.positive_distances.tolist(),
                    "negative_distances": sphere.negative_distances.tolist(),
                    "margins": sphere.margins,
                    "length": sphere.length,
                    "m_rel": sphere.m_rel,
                }
                for sphere in spheres.relations
            ],
        }

    def _anchor(self, graph: Graph) -> int:
        heads, relations, tails = graph.train.T.astype(np.int64)
        neighbours = np.bincount(
            np.unique(heads * graph.n_entities + tails) // graph.n_entities,
            minlength=graph.n_entities,
        )
        kinds = np.bincount(
            np.unique(heads * graph.n_relations + relations) // graph.n_relations,
            minlength=graph.n_entities,
        )
        kinds[neighbours > self.most_neighbours] = 0
        return int(kinds.argmax())


@dataclass(frozen=True)
class FigureOfPaper:
    """One of the paper's two figures, drawn with another graph's vectors each.

    Attributes:
        NAME: on the command line.
        TITLE: in the report.
        graph: whose vectors are drawn.
    """

    NAME: str
    TITLE: str
    graph: str

    def units(self, scale: Scale) -> list[Unit]:
        """One model a graph."""
        options = {"epochs": scale.epochs(_EPOCHS), "dim": 50, "validate_every": 0}
        settings = make_settings("transa", **options)
        return [
            Unit(self.NAME, {}, graph, settings, Surroundings())
            for graph in scale.graphs_or(self.graph)
        ]

    def run(self, runner: Runner, scale: Scale) -> None:
        """Train, and keep what is to be drawn."""
        planned = self.units(scale)
        runner.validated(planned)
        runner.tidy(planned)

    def section(self, records: Sequence[Record], pictures: Path) -> str:
        """A picture for each record."""
        parts = []
        for record in records:
            file = f"{self.NAME}-{record.graph.replace('/', '-')}.png"
            name = draw(record, pictures / file)
            settings = record.settings
            parts.append(
                f"![The spheres round {name}](images/results/{file})\n\n"
                f"{record.graph}, d {settings['dim']}, {settings['epochs']} epochs of the default "
                f"recipe. Radii are true distances, angles are not. Left, figure 1: positives and "
                f"negatives round {name}; right, figure 2: the lengths of its relations."
            )
        return "\n\n".join(parts)


FIGURE_1 = FigureOfPaper("figure1", "Figure 1: the entity-specific margin", "wn18rr")
FIGURE_2 = FigureOfPaper("figure2", "Figure 2: the relation-specific margin", "codex-s")


def draw(record: Record, path: Path) -> str:
    """Draw a record of surroundings; the name of the entity in the middle."""
    from transa.figures.spheres import draw_margins

    found = record.validation
    names, relations = found["entities"], found["relations"]
    graph = Graph(
        train=np.array([[0, 0, 0]], dtype=np.int32),
        entities=Vocabulary("entity", [str(i) for i in range(len(names))], names),
        relations=Vocabulary(
            "relation", [str(i) for i in range(len(relations))], [r["name"] for r in relations]
        ),
    )
    spheres = Spheres(0, "outgoing", tuple(_sphere(i, r) for i, r in enumerate(relations)))
    vectors = np.array(found["vectors"], dtype=np.float32)
    # Lengths of relations are in the record; their vectors are not, nor are they drawn.
    tables = {
        "entity": vectors,
        "relation": np.zeros_like(vectors, shape=(len(relations), vectors.shape[1])),
    }
    model = FittedModel(TransEEnergy(vectors.shape[1]), tables, graph)
    draw_margins(path, model, spheres, spheres.relations[0], Adaptive(**found["margin"]))
    return str(names[0])


def _sphere(number: int, told: Plain) -> Sphere:
    return Sphere(
        relation=number,
        positives=np.array(told["positives"], dtype=np.int32),
        negatives=np.array(told["negatives"], dtype=np.int32),
        positive_distances=np.array(told["positive_distances"]),
        negative_distances=np.array(told["negative_distances"]),
        margins=told["margins"],
        length=told["length"],
        m_rel=told["m_rel"],
    )
