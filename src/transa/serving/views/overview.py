"""What the model is, how it learnt, what its answers are worth, and where its vectors lie."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from transa.asking.probability.curves import PLACES, Probabilities
from transa.ranking.metrics import Metrics
from transa.ranking.ranks import rank
from transa.serving.views.projection import principal_plane
from transa.settings.config import to_plain

if TYPE_CHECKING:
    from transa.serving.holding import Served

# Epochs told of a run, points of the map, test triples ranked: what a page can show or wait for.
_MOST_EPOCHS = 500
_MOST_POINTS = 20_000
_MOST_RANKED = 2000


def card(served: Served) -> dict[str, Any]:
    """Settings, counts and the learning curve."""
    model = served.model
    graph, training = model.graph_, model.learnt_.training
    history = training.history
    step = -(-len(history) // _MOST_EPOCHS) or 1
    return {
        "name": graph.name,
        "model": model.settings_.model,
        "settings": to_plain(model.settings_),
        "graph": {
            "entities": graph.n_entities,
            "relations": graph.n_relations,
            "train": len(graph.train),
            "valid": len(graph.valid),
            "test": len(graph.test),
        },
        "training": training.summary(),
        "history": [
            {name: getattr(e, name) for name in ("epoch", "loss", "mean_margin", "validation")}
            for e in history[::step]
        ],
        "reliability": _reliability(model.learnt_.probabilities),
    }


def _reliability(found: Probabilities | None) -> dict[str, Any] | None:
    """How far the probabilities of answers can be taken at their word, place by place."""
    if found is None:
        return None
    return {place: asdict(found.of_place(place).reliability) for place in PLACES}


def test_figures(served: Served) -> dict[str, Any]:
    """Filtered ranks of the test split; of a sample where all would take too long."""
    graph = served.model.graph_
    triples = graph.test
    if len(triples) > _MOST_RANKED:
        rng = np.random.default_rng(0)
        triples = triples[np.sort(rng.choice(len(triples), _MOST_RANKED, replace=False))]
    if len(triples) == 0:
        return {"ranked": 0, "of": 0, "filtered": None}
    ranks = rank(served.model.model_, triples).filtered.ranks()
    told = Metrics.of(ranks.ravel()).to_dict()
    return {"ranked": len(triples), "of": len(graph.test), "filtered": told}


def map_of(served: Served) -> dict[str, Any]:
    """The entities that most triples have, where their vectors lie in the plane."""
    names = served.entities
    rows = np.sort(np.argsort(-names.counts, kind="stable")[:_MOST_POINTS])
    places = principal_plane(served.model.parameters_["entity"], rows).round(4)
    ids = rows.tolist()
    return {
        "of": len(names),
        "labels": [names.labels[i] for i in ids],
        "names": [names.names[i] for i in ids],
        "counts": names.counts[rows].tolist(),
        "x": places[:, 0].astype(float).round(4).tolist(),
        "y": places[:, 1].astype(float).round(4).tolist(),
    }
