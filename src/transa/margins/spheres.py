"""The spheres round one entity, to look at: figures 1 and 2 of the paper in numbers.

Plain NumPy from the definitions (see `transa.margins.adaptive` for how they are read), for one
anchor at a time. `active` is exact here: the mean over all entities outside P_r that training draws
from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from transa.errors import ConfigError
from transa.margins.margin import READINGS, Adaptive, Reading
from transa.models.distances import distances_from
from transa.models.energy import Energy, lengths
from transa.models.families import Translation
from transa.models.fitted import FittedModel

Direction: TypeAlias = Literal["outgoing", "incoming"]
Ids: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Sphere:
    """One relation r of the anchor.

    Attributes:
        relation: id of r.
        positives: ids of P_r, the anchor's neighbours under r, nearest first.
        negatives: ids of N_r, its other neighbours, nearest first.
        positive_distances: ‖anchor − t‖ of each positive.
        negative_distances: the same of each negative.
        margins: the distance between the two spheres, by reading.
        length: ‖r‖.
        m_rel: M_rel, by how much the next longer relation of the anchor is longer.
    """

    relation: int
    positives: Ids
    negatives: Ids
    positive_distances: Floats
    negative_distances: Floats
    margins: dict[Reading, float]
    length: float
    m_rel: float

    @property
    def farthest_positive(self) -> float:
        """Radius of the inner sphere."""
        return float(self.positive_distances[-1])

    @property
    def nearest_negative(self) -> float | None:
        """Radius of the outer sphere; None where there is no negative."""
        return float(self.negative_distances[0]) if len(self.negatives) else None


@dataclass(frozen=True, eq=False)
class Spheres:
    """All relations of an anchor in one direction, those with most positives first.

    Attributes:
        anchor: id of the entity.
        direction: `outgoing`, where the anchor is the head, or `incoming`, where it is the tail.
        relations: one `Sphere` a relation.
    """

    anchor: int
    direction: Direction
    relations: tuple[Sphere, ...]

    def m_ent(self, reading: Reading) -> float:
        """M_ent: the mean over the anchor's relations; 0 if it has none."""
        margins = [sphere.margins[reading] for sphere in self.relations]
        return float(np.mean(margins)) if margins else 0.0

    def m_opt(self, sphere: Sphere, mu: float, reading: Reading) -> float:
        """M_opt = μ M_ent + (1 − μ) M_rel of the triples of one relation."""
        return mu * self.m_ent(reading) + (1 - mu) * sphere.m_rel


def translation_of(energy: Energy) -> Translation:
    """The energy, if it has the points and translations that distances are measured between."""
    if not isinstance(energy, Translation):
        raise ConfigError(
            f"the adaptive margin measures distances, and {energy.name} is no translation; train "
            "it with --reading energies, or with a fixed margin, for example --margin 1"
        )
    return energy


def in_distances(margin: Adaptive) -> Adaptive:
    """The margin, if it is read as distances."""
    if margin.reading not in READINGS:
        raise ConfigError(
            f"the reading {margin.reading} has no distances, which are asked for here; choose "
            f"{', '.join(READINGS[:-1])} or {READINGS[-1]}"
        )
    return margin


def spheres_of(model: FittedModel, anchor: int, direction: Direction) -> Spheres:
    """The spheres round an entity as the head (`outgoing`) or as the tail (`incoming`)."""
    norm, triples = translation_of(model.energy).norm, model.graph.train
    entity, relation = model.tables["entity"], model.tables["relation"]
    end, other = (0, 2) if direction == "outgoing" else (2, 0)
    edges = triples[triples[:, end] == anchor]
    distances = distances_from(anchor, entity, norm)
    neighbours = _by_distance(np.unique(edges[:, other]), distances)
    relations, counts = np.unique(edges[:, 1], return_counts=True)
    by_count = relations[np.argsort(-counts, kind="stable")]
    of_length = dict(
        zip(relations.tolist(), lengths(relation[relations], norm).tolist(), strict=True)
    )
    found = []
    for r in by_count.tolist():
        is_positive = np.isin(neighbours, edges[edges[:, 1] == r, other])
        found.append(_sphere(r, neighbours, is_positive, distances, of_length))
    return Spheres(anchor, direction, tuple(found))


def _sphere(
    r: int,
    neighbours: Ids,
    is_positive: NDArray[np.bool_],
    distances: Floats,
    of_length: dict[int, float],
) -> Sphere:
    positives, negatives = neighbours[is_positive], neighbours[~is_positive]
    inside, outside = distances[positives], distances[negatives]
    length = of_length[r]
    longer = [other - length for i, other in of_length.items() if i != r and other >= length]
    return Sphere(
        relation=r,
        positives=positives,
        negatives=negatives,
        positive_distances=inside,
        negative_distances=outside,
        margins=_margins(inside, outside, np.delete(distances, positives)),
        length=length,
        m_rel=min(longer, default=0.0),
    )


def _margins(inside: Floats, outside: Floats, anywhere: Floats) -> dict[Reading, float]:
    """The three readings, from sorted distances to P_r and N_r, and to every entity outside P_r."""
    active = float(np.abs(anywhere - inside[-1]).mean()) if len(anywhere) else 0.0
    if len(outside) == 0:
        return {"pairs": 0.0, "spheres": 0.0, "active": active}
    # Both are sorted, so the closest positive of a negative is one of the two it falls between.
    after = np.searchsorted(inside, outside)
    neighbours = np.stack([after - 1, after]).clip(0, len(inside) - 1)
    return {
        "pairs": float(np.abs(outside - inside[neighbours]).min()),
        "spheres": float(abs(outside[0] - inside[-1])),
        "active": active,
    }


def _by_distance(ids: Ids, distances: Floats) -> Ids:
    return ids[np.argsort(distances[ids], kind="stable")]
