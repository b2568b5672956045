"""What a model says when asked: energies against everything that could stand in the gap."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from transa.asking.predictions import Prediction, Predictions
from transa.asking.probability.curves import PLACES, RIVALS, Probabilities
from transa.errors import ConfigError
from transa.graph import Vocabulary
from transa.graph.candidates import may_answer_itself
from transa.graph.known import Question
from transa.models.distances import distances_from, nearest
from transa.models.fitted import FittedModel


def answers(
    model: FittedModel,
    question: Question,
    k: int,
    known: bool,
    probabilities: Probabilities | None = None,
) -> Predictions:
    """The k best candidates for the place left open; those the graph has only if `known`.

    Who is a candidate: see `transa.graph.candidates`. Many questions at once are answered faster by
    `transa.asking.bulk`.
    """
    check_k(k)
    graph, gap = model.graph, question.index(None)
    vocabularies = (graph.entities, graph.relations, graph.entities)
    asked = vocabularies[gap]
    found = model.energies_of_answers(question)
    splits = model.known.answers_to(question)
    no_candidates = set()
    if question[1] is not None and not may_answer_itself(model.known, question[1]):
        no_candidates = {id_ for id_ in (question[0], question[2]) if id_ is not None}
    new = found.copy()
    new[[*no_candidates, *splits]] = np.inf
    found[list(no_candidates)] = np.inf
    offered = found if known else new
    best = nearest(offered, min(k, int(np.isfinite(offered).sum())))
    given = {}
    if probabilities is not None:
        rivals = new[nearest(new, min(RIVALS, len(new)))][None]
        relations = best if gap == 1 else np.full(len(best), question[1])
        many = np.array([len(splits)])
        of_best = probabilities.of_answers(
            PLACES[gap], new[best][None], rivals, many, relations[None]
        )
        given = dict(zip(best.tolist(), of_best[0].tolist(), strict=True))
    words = [
        "?" if id_ is None else vocabulary.display(id_)
        for id_, vocabulary in zip(question, vocabularies, strict=True)
    ]
    return _table(" · ".join(words), asked, best, -found, splits, given)


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
    probabilities: Mapping[int, float] | None = None,
) -> Predictions:
    given = probabilities or {}
    rows = (
        Prediction(
            rank,
            vocabulary.label(i),
            vocabulary.display(i),
            float(scores[i]),
            splits.get(i),
            None if i in splits else given.get(i),
        )
        for rank, i in enumerate(map(int, found), start=1)
    )
    return Predictions(question, tuple(rows))


def check_k(k: int) -> None:
    """Refuse a number of answers that is none."""
    if not isinstance(k, Integral) or k < 1:
        raise ConfigError(f"k, the number of answers, is a whole number of at least 1; found {k!r}")
