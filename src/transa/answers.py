"""What a model says when asked: energies against everything that could stand in the gap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from transa.errors import ConfigError
from transa.graph import Graph, Vocabulary
from transa.models import Energy, Norm, Parameters, TransEEnergy
from transa.models.distances import distances_from
from transa.models.energy import lengths
from transa.models.tensors import as_tensors
from transa.predictions import Prediction, Predictions

Ids: TypeAlias = int | Sequence[int] | NDArray[np.integer]
Question: TypeAlias = tuple[int | None, int | None, int | None]
"""Head, relation and tail ids, one of them left open."""

_BUDGET = 1 << 22
"""Floats that the vectors and matrices of a chunk fill: 16 MB, of which energies make a few."""


def energies(energy: Energy, parameters: Parameters, h: Ids, r: Ids, t: Ids) -> NDArray[np.float32]:
    """f_r(h, t) for ids that broadcast to one axis."""
    ids = [np.atleast_1d(part).astype(np.int64) for part in (h, r, t)]
    (size,) = np.broadcast_shapes(*(part.shape for part in ids))
    found = np.empty(size, dtype=np.float32)
    step = max(1, _BUDGET // _floats_per_triple(energy, parameters, ids))
    for start in range(0, size, step):
        chunk = slice(start, start + step)
        # What is the same for all stays one id: a relation's matrix is then taken once.
        parts = [part if len(part) == 1 else part[chunk] for part in ids]
        found[chunk] = _energies_of_chunk(energy, parameters, parts)
    return found


def _floats_per_triple(
    energy: Energy, parameters: Parameters, ids: Sequence[NDArray[np.int64]]
) -> int:
    """What has to be gathered for one more triple."""
    varied = {"entity", "relation"} if len(ids[1]) > 1 else {"entity"}
    return max(int(parameters[n][0].size) for n, rows in energy.tables.items() if rows in varied)


def _energies_of_chunk(
    energy: Energy, parameters: Parameters, ids: Sequence[NDArray[np.int64]]
) -> NDArray[np.float32]:
    # A subclass may have an energy of its own.
    if type(energy) is TransEEnergy:
        # In NumPy, since to import PyTorch takes longer than most answers.
        h, r, t = ids
        entity, relation = parameters["entity"], parameters["relation"]
        return lengths(entity[h] + relation[r] - entity[t], energy.norm)
    import torch

    tensors = as_tensors(parameters)
    found: NDArray[np.float32] = energy.energy(tensors, *map(torch.from_numpy, ids)).numpy()
    return found


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


def lookalikes(
    vectors: NDArray[np.float32], norm: Norm, vocabulary: Vocabulary, index: int, k: int
) -> Predictions:
    """The k rows nearest to one of them."""
    _check_k(k)
    far = distances_from(index, vectors, norm)
    far[index] = np.inf
    best = nearest(far, min(k, len(vectors) - 1))
    return _table(f"similar to {vocabulary.display(index)}", vocabulary, best, -far, {})


def nearest(values: NDArray[np.float32], k: int) -> NDArray[np.intp]:
    """The positions of the k smallest values, smallest first; ties by position."""
    if k < len(values):
        # Everything up to the k-th value, so that ties at the cut are decided by position too.
        candidates = np.flatnonzero(values <= np.partition(values, k - 1)[k - 1])
    else:
        candidates = np.arange(len(values))
    return candidates[np.argsort(values[candidates], kind="stable")][:k]


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
    if k < 1:
        raise ConfigError(f"k, the number of answers, is at least 1; found {k}")
