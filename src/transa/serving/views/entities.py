"""What the graph has of an entity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from transa.graph.known import SIDES, SPLITS, Side

if TYPE_CHECKING:
    from transa.serving.holding import Served

# Neighbours told of one relation, and relations told of one side: a hub has thousands.
_MOST_NEIGHBOURS = 50
_MOST_RELATIONS = 60


def known_of(served: Served, entity: int) -> dict[str, Any]:
    """Its name, and its neighbours relation by relation, those with most first."""
    hit = served.entities.hit(entity)
    facts = [fact for side in reversed(SIDES) for fact in _facts(served, entity, side)]
    seen = bool(served.model.graph_.seen[entity])
    return {"label": hit.label, "name": hit.name, "count": hit.count, "seen": seen, "facts": facts}


def _facts(served: Served, entity: int, side: Side) -> list[dict[str, Any]]:
    """The known answers of the questions that this entity is the anchor of."""
    graph, names = served.model.graph_, served.entities
    answers = graph.index.answers(side)
    start, stop = answers.spans(np.arange(graph.n_relations) * graph.n_entities + entity)
    sizes = stop - start
    by_size = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
    found = []
    for r in by_size[:_MOST_RELATIONS].tolist():
        span = slice(int(start[r]), int(stop[r]))
        ids, splits = answers.answers[span], answers.splits[span]
        common = np.argsort(-names.counts[ids], kind="stable")[:_MOST_NEIGHBOURS]
        found.append(
            {
                "relation": served.relations.labels[r],
                "relation_name": served.relations.names[r],
                "asks": side,
                "total": int(sizes[r]),
                "entities": [
                    {
                        "label": names.labels[i],
                        "name": names.names[i],
                        "known": SPLITS[split],
                    }
                    for i, split in zip(ids[common].tolist(), splits[common].tolist(), strict=True)
                ],
            }
        )
    return found
