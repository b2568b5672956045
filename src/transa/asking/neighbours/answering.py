"""Questions answered by an index: candidates from it, in the order of their true energies."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transa.asking.answers import check_k
from transa.asking.neighbours.index import Metric, NeighbourIndex, build_index, metric_of
from transa.asking.predictions import Prediction, Predictions
from transa.asking.probability.curves import RIVALS, Probabilities
from transa.graph.candidates import may_answer_itself
from transa.models.distances import distances_to
from transa.models.families import Trilinear
from transa.models.fitted import FittedModel
from transa.models.scoring import energies_one_way

# Candidates that an index is asked for at most: beyond that, to look at all takes no longer.
_MOST = 4096

_NOTHING: Mapping[int, Any] = MappingProxyType({})


def index_of(model: FittedModel) -> NeighbourIndex:
    """An index of the entities of a model, by what its tail questions are decided by."""
    return build_index(model.tables["entity"], metric_for(model))


def metric_for(model: FittedModel) -> Metric:
    """Products where energies are such, else the norm that entities are compared in."""
    return "product" if isinstance(model.energy, Trilinear) else metric_of(model.norm)


def similar_by_index(
    model: FittedModel, index: NeighbourIndex, entity: int, k: int
) -> Predictions | None:
    """`transa.asking.answers.similar_entities`, or None if this index cannot tell."""
    check_k(k)
    if index.metric == "product" or k >= _MOST:
        return None
    vectors = model.tables["entity"]
    found = _candidates(index, vectors[entity], k + 1)
    found = found[found != entity]
    far = distances_to(entity, found, vectors, model.norm)
    question = f"similar to {model.graph.entities.display(entity)}"
    return _ordered(question, model, found, far, k)


def tails_by_index(
    model: FittedModel,
    index: NeighbourIndex,
    head: int,
    relation: int,
    k: int,
    known: bool,
    probabilities: Probabilities | None = None,
) -> Predictions | None:
    """The tails of (head, relation, ?), or None if this index cannot tell."""
    check_k(k)
    point = _where_tails_are(model, head, relation)
    splits = model.known.answers_to((head, relation, None))
    themselves = set() if may_answer_itself(model.known, relation) else {head}
    wanted = max(k, RIVALS) + len(splits) + len(themselves)
    if point is None or wanted > _MOST:
        return None
    found = _candidates(index, point, wanted)
    found = found[~np.isin(found, list(themselves))]
    energies = energies_one_way(model.energy, model.tables, head, relation, found)
    is_new = ~np.isin(found, list(splits))
    given = {}
    if probabilities is not None and is_new.any():
        new, ids = energies[is_new][None], found[is_new].tolist()
        relations = np.full(new.shape, relation)
        rivals, held = np.sort(new)[:, :RIVALS], np.array([len(splits)])
        likely = probabilities.of_answers("tail", new, rivals, held, relations)[0]
        given = dict(zip(ids, likely.tolist(), strict=True))
    if not known:
        found, energies = found[is_new], energies[is_new]
    graph = model.graph
    question = f"{graph.entities.display(head)} · {graph.relations.display(relation)} · ?"
    return _ordered(question, model, found, energies, k, splits, given)


def _where_tails_are(model: FittedModel, head: int, relation: int) -> NDArray[np.float32] | None:
    """The point that tails are near to, or the vector whose products with them count."""
    entity = model.tables["entity"]
    if isinstance(model.energy, Trilinear):
        return _factor_of_tails(model, head, relation)
    view = model.energy.distance_view()
    if view is None or view.of_relation is not None:
        return None
    point: NDArray[np.float32] = entity[head] + model.tables["relation"][relation]
    return point


def _factor_of_tails(model: FittedModel, head: int, relation: int) -> NDArray[np.float32]:
    """Of energies that are linear in the tail: minus their gradient, which no tail changes."""
    import torch

    from transa.models.tensors import as_tensors

    tensors = as_tensors(model.tables)
    ends = torch.stack([tensors["entity"][head], torch.zeros_like(tensors["entity"][head])])
    ends.requires_grad_()
    ids = (torch.tensor([each]) for each in (0, relation, 1))
    energy = model.energy.energy({**tensors, "entity": ends}, *ids).sum()
    (gradient,) = torch.autograd.grad(energy, ends)
    factor: NDArray[np.float32] = -gradient[1].numpy()
    return factor


def _candidates(index: NeighbourIndex, point: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    found: NDArray[np.int64] = index.nearest(point[None], min(k, len(index)))[0]
    return found[found >= 0]


def _ordered(
    question: str,
    model: FittedModel,
    found: NDArray[np.int64],
    energies: NDArray[np.float32],
    k: int,
    splits: Mapping[int, str] = _NOTHING,
    probabilities: Mapping[int, float] = _NOTHING,
) -> Predictions:
    entities = model.graph.entities
    best = ((int(found[i]), -float(energies[i])) for i in np.lexsort((found, energies))[:k])
    rows = (
        Prediction(
            *(rank, entities.label(i), entities.display(i), score),
            known=splits.get(i),
            probability=probabilities.get(i),
        )
        for rank, (i, score) in enumerate(best, start=1)
    )
    return Predictions(question, tuple(rows))
