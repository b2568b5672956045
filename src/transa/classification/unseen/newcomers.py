"""Vectors for entities that training never had.

Nothing was learnt of them, so that a model has no energy for their triples. By name, one may have
their vectors estimated, without a look at any label of the triples that are judged:

- ``words``: the mean of entities whose labels are spelt alike (see `spelling`);
- ``facts``: fitted to the graph's validation triples, which are true and known, all else frozen;
- ``words+facts``: words to begin with, then facts where there are any.

Whether the vocabulary has an entity plays no part: a benchmark's vocabulary is made of its true
triples, so that it would give test labels away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transa.classification.classifier import UNSEEN, UnseenEntities
from transa.classification.labelled import NumberedTriples
from transa.classification.unseen.fold_in import FoldIn, entity_tables, fold_in
from transa.classification.unseen.spelling import similarly_spelt
from transa.errors import one_of
from transa.graph import Triples
from transa.graph.vocabulary import UNKNOWN
from transa.models import FittedModel, Parameters, Tables
from transa.settings.recipe import Constraint

Mask = NDArray[np.bool_]

_BY_FACTS = "fitted to its validation triples"

# Of the entities that an estimate is made from, so many are named.
_NAMED = 3


@dataclass(frozen=True, eq=False)
class Completed:
    """A model's tables with rows for newcomers: entities of the graph first, then strangers.

    Attributes:
        tables: its own where nobody is added.
        has_vector: per entity, whether its row is worth anything.
        origins: by entity id, where the row of a newcomer is from, in words.
    """

    tables: Tables
    has_vector: Mask
    origins: Mapping[int, str]

    def are_answered(self, numbered: NumberedTriples) -> Mask:
        """Per triple, whether its relation is known and its entities have vectors."""
        head, relation, tail = numbered.triples.T
        answered: Mask = self.has_vector[head] & self.has_vector[tail] & (relation != UNKNOWN)
        return answered

    def are_fitted_to(self, numbered: NumberedTriples) -> Mask:
        """Per triple, whether one of its entities was fitted to validation triples."""
        fitted = np.zeros_like(self.has_vector)
        fitted[[entity for entity, origin in self.origins.items() if origin == _BY_FACTS]] = True
        head, _, tail = numbered.triples.T
        found: Mask = fitted[head] | fitted[tail]
        return found


def complete(
    model: FittedModel,
    constraint: Constraint,
    numbered: NumberedTriples,
    unseen: UnseenEntities,
) -> Completed:
    """The tables with what can be said of the newcomers among some triples."""
    one_of("unseen", unseen, UNSEEN)
    graph = model.graph
    has_vector = numbered.seen(graph)
    if unseen == "none":
        return Completed(model.tables, has_vector, {})
    facts = graph.valid[~has_vector[graph.valid[:, [0, 2]]].all(axis=1)]
    new = newcomers(np.concatenate([numbered.triples, facts]), has_vector)
    tables = with_average_rows(model, new, len(numbered.strangers))
    origins: dict[int, str] = {}
    if "words" in unseen:
        origins |= _estimate_by_words(model, tables, numbered, new)
    if "facts" in unseen and len(facts):
        new = newcomers(facts, has_vector)
        tables = fold_in(model, tables, new, facts, FoldIn(constraint=constraint))
        origins |= dict.fromkeys(new.tolist(), _BY_FACTS)
    has_vector[list(origins)] = True
    return Completed(tables, has_vector, origins)


def newcomers(triples: Triples, has_vector: Mask) -> NDArray[np.int64]:
    """The distinct entities of triples that have no vector."""
    ends = triples[:, [0, 2]].astype(np.int64)
    return np.unique(ends[~has_vector[ends]])


def with_average_rows(model: FittedModel, new: NDArray[np.int64], n_strangers: int) -> Parameters:
    """Copies of the tables, longer by the strangers, with an average entity in every new row."""
    tables = dict(model.tables)
    for name in entity_tables(model.energy):
        mean = tables[name][model.graph.seen].mean(axis=0, keepdims=True)
        tables[name] = np.concatenate([tables[name], np.repeat(mean, n_strangers, axis=0)])
        tables[name][new] = mean
    return tables


def _estimate_by_words(
    model: FittedModel, tables: Parameters, numbered: NumberedTriples, new: NDArray[np.int64]
) -> dict[int, str]:
    """Put estimates into the rows of new entities; from which others each is made."""
    graph = model.graph
    learnt = np.flatnonzero(graph.seen)
    names = [graph.entities.display(int(entity)) for entity in learnt]
    wanted = [numbered.name(graph, int(entity)) for entity in new]
    origins = {}
    for entity, alike in zip(new.tolist(), similarly_spelt(names, wanted), strict=True):
        if len(alike.ids):
            for name in entity_tables(model.energy):
                tables[name][entity] = alike.mean(tables[name][learnt[alike.ids]])
            origins[entity] = f"estimated from {_listed(names, alike.ids)}"
    return origins


def _listed(names: list[str], ids: NDArray[np.intp]) -> str:
    shown = ", ".join(repr(names[i]) for i in ids[:_NAMED])
    return f"{shown} and {len(ids) - _NAMED} more" if len(ids) > _NAMED else shown
