"""What a model says when asked: energies against everything that could stand in the gap."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from transa.asking.predictions import Prediction, Predictions
from transa.errors import ConfigError
from transa.graph import Vocabulary
from transa.graph.known import Question
from transa.models.distances import distances_from, nearest
from transa.models.fitted import FittedModel


def answers(model: FittedModel, question: Question, k: int, known: bool) -> Predictions:
    """The k best candidates for the place left open; those the graph has only if `known`.

    An entity is no answer about itself unless the graph has such a loop of the same relation:
    translation puts it first wherever a relation is symmetric, since its vector is then near 0.
    """
    check_k(k)
    graph = model.graph
    vocabularies = (graph.entities, graph.relations, graph.entities)
    asked = vocabularies[question.index(None)]
    found = model.energies_of_answers(question)
    splits = model.known.answers_to(question)
    left_out = set() if known else set(splits)
    if question[1] is not None and not model.known.has_loops[question[1]]:
        left_out |= {id_ for id_ in (question[0], question[2]) if id_ is not None} - set(splits)
    found[list(left_out)] = np.inf
    words = [
        "?" if id_ is None else vocabulary.display(id_)
        for id_, vocabulary in zip(question, vocabularies, strict=True)
    ]
    best = nearest(found, min(k, len(asked) - len(left_out)))
    return _table(" · ".join(words), asked, best, -found, splits)


def similar_entities(model: FittedModel, index: int, k: int) -> Predictions:
    """The k entities whose vectors are nearest to that of one, in the norm of the model."""
    check_k(k)
    vocabulary, vectors = model.graph.entities, model.tables["entity"]
    far = distances_from(index, vectors, model.norm)
    far[index] = np.inf
    best = nearest(far, min(k, len(vectors) - 1))
    return _table(f"similar to {vocabulary.display(index)}", vocabulary, best, -far, {})


def _table(
    question: str,
    vocabulary: Vocabulary,
    found: NDArray[np.intp],
    scores: NDArray[np.float32],
    splits: Mapping[int, str],
) -> Predictions:
    rows = (
        Prediction(
            rank, vocabulary.label(i), vocabulary.display(i), float(scores[i]), splits.get(i)
        )
        for rank, i in enumerate(map(int, found), start=1)
    )
    return Predictions(question, tuple(rows))


def check_k(k: int) -> None:
    """Refuse a number of answers that is none."""
    if not isinstance(k, Integral) or k < 1:
        raise ConfigError(f"k, the number of answers, is a whole number of at least 1; found {k!r}")
