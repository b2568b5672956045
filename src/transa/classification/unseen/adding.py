"""Entities added to a trained model: only their vectors are fitted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from transa.classification.labelled import NumberedTriples
from transa.classification.unseen.fold_in import FoldIn, fold_in
from transa.classification.unseen.newcomers import newcomers, with_average_rows
from transa.errors import InputError
from transa.graph import Graph, Vocabulary
from transa.graph.vocabulary import UNKNOWN
from transa.models import FittedModel


def add_entities(
    model: FittedModel, triples: Sequence[tuple[str, str, str]], how: FoldIn
) -> FittedModel:
    """A model with the entities that some true triples have and training did not.

    The old entities keep their ids and their rows; the new triples are training triples. The old
    model stays as it is.

    Raises:
        InputError: a relation is unknown, or no entity is new.
    """
    graph = model.graph
    heads, relations, tails = zip(*triples, strict=True) if triples else ((), (), ())
    numbered = NumberedTriples.of(graph, heads, relations, tails)
    has_vector = numbered.seen(graph)
    unknown = np.flatnonzero(numbered.triples[:, 1] == UNKNOWN)
    if len(unknown):
        raise InputError(
            f"triple {unknown[0] + 1} has the relation {relations[unknown[0]]!r}, which this model "
            "does not know; entities can be added without training again, relations cannot"
        )
    facts = numbered.triples[~has_vector[numbered.triples[:, [0, 2]]].all(axis=1)]
    if len(facts) == 0:
        raise InputError("none of the triples has an entity that is new to this model")
    new = newcomers(facts, has_vector)
    begun = with_average_rows(model, new, len(numbered.strangers))
    # In memory, even if the old one was not.
    larger = Graph(
        train=np.concatenate([graph.train, facts]),
        entities=_longer(graph.entities, numbered.strangers),
        relations=graph.relations,
        valid=graph.valid,
        test=graph.test,
        name=graph.name,
        report=graph.report,
    )
    return FittedModel(model.energy, fold_in(model, begun, new, facts, how), larger)


def _longer(vocabulary: Vocabulary, labels: Sequence[str]) -> Vocabulary:
    """New labels at the end, so that the old ones keep their ids. They have no names."""
    longer = pl.concat([vocabulary.labels, pl.Series("label", labels, dtype=pl.String)])
    names = vocabulary.names
    if names is not None:
        names = names.extend_constant(None, len(labels))
    return Vocabulary(vocabulary.kind, longer, names)
