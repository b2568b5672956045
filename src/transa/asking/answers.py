"""What a model says when asked: energies against everything that could stand in the gap."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from transa.asking.predictions import Prediction, Predictions
from transa.errors import ConfigError
from transa.graph import Graph, Vocabulary
from transa.models import Energy, Norm, Parameters
from transa.models.distances import distances_from, nearest
from transa.models.scoring import energies

Question: TypeAlias = tuple[int | None, int | None, int | None]
"""Head, relation and tail ids, one of them left open."""


def answers(
    energy: Energy, parameters: Parameters, graph: Graph, question: Question, k: int, known: bool
) -> Predictions:
    """The k best candidates for the place left open; those the graph has only if `known`.

    An entity is no answer about itself unless the graph has such a loop of the same relation:
    translation puts it first wherever a relation is symmetric, since its vector is then near 0.
    """
    _check_k(k)
    vocabularies = (graph.entities, graph.relations, graph.entities)
    asked = vocabularies[question.index(None)]
    h, r, t = (np.arange(len(asked)) if id_ is None else id_ for id_ in question)
    found = energies(energy, parameters, h, r, t)
    splits = _answers_in_graph(graph, question)
    left_out = set() if known else set(splits)
    if not _may_loop(graph, question):
        left_out |= {id_ for id_ in (question[0], question[2]) if id_ is not None} - set(splits)
    found[list(left_out)] = np.inf
    words = [
        "?" if id_ is None else vocabulary.display(id_)
        for id_, vocabulary in zip(question, vocabularies, strict=True)
    ]
    best = nearest(found, min(k, len(asked) - len(left_out)))
    return _table(" · ".join(words), asked, best, -found, splits)


def similar_entities(
    vectors: NDArray[np.float32], norm: Norm, vocabulary: Vocabulary, index: int, k: int
) -> Predictions:
    """The k rows nearest to one of them."""
    _check_k(k)
    far = distances_from(index, vectors, norm)
    far[index] = np.inf
    best = nearest(far, min(k, len(vectors) - 1))
    return _table(f"similar to {vocabulary.display(index)}", vocabulary, best, -far, {})


def _answers_in_graph(graph: Graph, question: Question) -> dict[int, str]:
    """The answers that the graph has already, each with the first split that has it."""
    place = question.index(None)
    splits: dict[int, str] = {}
    for name in ("train", "valid", "test"):
        triples = graph.split(name)
        given = [triples[:, i] == id_ for i, id_ in enumerate(question) if id_ is not None]
        for answer in triples[np.logical_and(*given), place]:
            splits.setdefault(int(answer), name)
    return splits


def _may_loop(graph: Graph, question: Question) -> bool:
    """Whether an answer may be the entity asked about: yes if another triple does the same."""
    relation = question[1]
    if relation is None:
        return True
    of_relation = graph.known[graph.known[:, 1] == relation]
    return bool((of_relation[:, 0] == of_relation[:, 2]).any())


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


def _check_k(k: int) -> None:
    if not isinstance(k, Integral) or k < 1:
        raise ConfigError(f"k, the number of answers, is a whole number of at least 1; found {k!r}")
