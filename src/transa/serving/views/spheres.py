"""An entity's margins as the page draws them: distances that are true, directions in a plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from transa.margins.spheres import Sphere, Spheres
from transa.serving.views.projection import principal_plane

if TYPE_CHECKING:
    from transa.serving.holding import Served

# Neighbours drawn inside and outside, nearest to the space between them first; relations told.
_MOST_POINTS = 60
_MOST_RELATIONS = 40


def spheres_round(served: Served, anchor: int) -> dict[str, Any]:
    """The spheres round an entity as a head and as a tail, with the margin that they make."""
    name = served.entities.names[anchor]
    label = served.entities.labels[anchor]
    margin = served.model.adaptive
    sides = served.model.spheres(label)
    return {
        "label": label,
        "name": name,
        "mu": margin.mu,
        "reading": margin.reading,
        "directions": [_direction(served, spheres) for spheres in sides],
    }


def _direction(served: Served, spheres: Spheres) -> dict[str, Any]:
    margin = served.model.adaptive
    return {
        "direction": spheres.direction,
        "m_ent": spheres.m_ent(margin.reading),
        "relations": [
            {
                "relation": served.relations.labels[sphere.relation],
                "name": served.relations.names[sphere.relation],
                "positives": len(sphere.positives),
                "negatives": len(sphere.negatives),
                "farthest_positive": sphere.farthest_positive,
                "nearest_negative": sphere.nearest_negative,
                "margin": sphere.margins[margin.reading],
                "length": sphere.length,
                "m_rel": sphere.m_rel,
                "m_opt": spheres.m_opt(sphere, margin.mu, margin.reading),
                "points": _points(served, spheres.anchor, sphere),
            }
            for sphere in spheres.relations[:_MOST_RELATIONS]
        ],
    }


def _points(served: Served, anchor: int, sphere: Sphere) -> list[dict[str, Any]]:
    inside, outside = sphere.positives[-_MOST_POINTS:], sphere.negatives[:_MOST_POINTS]
    ids = np.concatenate([inside, outside])
    distances = np.concatenate(
        [sphere.positive_distances[-_MOST_POINTS:], sphere.negative_distances[:_MOST_POINTS]]
    )
    vectors = served.model.parameters_["entity"]
    plane = principal_plane(vectors[ids] - vectors[anchor], np.arange(len(ids)))
    # The order of the directions is kept, their gaps are evened out, so that no two points meet.
    turn = np.argsort(np.argsort(np.arctan2(plane[:, 1], plane[:, 0]), kind="stable"))
    angles = 2 * np.pi * turn / len(ids)
    names = served.entities
    return [
        {
            "label": names.labels[i],
            "name": names.names[i],
            "distance": round(float(distance), 5),
            "angle": round(float(angle), 4),
            "inside": place < len(inside),
        }
        for place, (i, distance, angle) in enumerate(
            zip(ids.tolist(), distances.tolist(), angles.tolist(), strict=True)
        )
    ]
