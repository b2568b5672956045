"""Answers to many questions: the best candidates, what is known of them, how probable they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transa.asking.answers import check_k
from transa.asking.bulk.best import NOBODY, Best, Ids, best_new
from transa.asking.predictions import Prediction, Predictions
from transa.asking.probability.curves import PLACES, RIVALS, Probabilities
from transa.graph.candidates import left_out
from transa.graph.known import GAP, SPLITS
from transa.models.fitted import FittedModel

NEW = len(SPLITS)
"""Stands for the split of an answer that no split has."""

# Questions at a time, and numbers in the largest array of their answers.
_QUESTIONS, _NUMBERS = 8192, 1 << 22


@dataclass(frozen=True, eq=False)
class BestAnswers:
    """A row a question, its best answers first; all arrays are (n, k).

    Attributes:
        ids: of entities or relations, whatever was asked for; `NOBODY` where there are no more.
        energies: infinite where there are no more.
        splits: the number of the first split that has the triple, or `NEW`.
        probabilities: NaN for what is known, and where the model has none.
    """

    ids: Ids
    energies: NDArray[np.float32]
    splits: NDArray[np.uint8]
    probabilities: NDArray[np.float64]


def questions_at_a_time(k: int) -> int:
    """How many questions with k answers fit into one block of memory."""
    return max(1, min(_QUESTIONS, _NUMBERS // max(k, RIVALS)))


def best_answers(
    model: FittedModel,
    questions: Ids,
    k: int,
    *,
    known: bool = False,
    probabilities: Probabilities | None = None,
    threads: int = 0,
) -> BestAnswers:
    """The k best answers to each question; those the graph has only if `known`.

    Who is a candidate: see `transa.graph.candidates`. It holds all answers at a time: ask a block
    of `questions_at_a_time(k)` where there may be more.

    Args:
        model: whom to ask.
        questions: ids (n, 3), of each row one place a `GAP`.
        k: how many.
        known: whether to keep what the graph has, marked by its split.
        probabilities: the model's, if it has any.
        threads: 0 means all cores.
    """
    check_k(k)
    n_most = max(model.graph.n_entities, model.graph.n_relations)
    k = min(k, n_most)
    # Probabilities look at the tenth, too.
    wanted = k if probabilities is None else min(max(k, RIVALS), n_most)
    new = best_new(model, questions, wanted, threads=threads)
    rows, best = _with_known(model, questions, new, k) if known else _cut(new, k)
    chances = np.full(best.ids.shape, np.nan)
    if probabilities is not None:
        for gap, place in enumerate(PLACES):
            asked = questions[:, gap] == GAP
            if not asked.any():
                continue
            _, start, stop = model.known.of_gap(questions[asked], gap)
            ids = best.ids[asked]
            relations = ids if place == "relation" else np.repeat(questions[asked, 1:2], k, axis=1)
            chances[asked] = probabilities.of_answers(
                place, best.energies[asked], new.energies[asked], stop - start, relations
            )
        chances[rows != NEW] = np.nan
    return BestAnswers(best.ids, best.energies, rows, chances)


def triple_probabilities(
    model: FittedModel, probabilities: Probabilities, triples: Ids, threads: int = 0
) -> NDArray[np.float64]:
    """How probable each triple (n, 3) is as an answer to the question for its tail.

    NaN for what the graph has, and for an entity as its own tail where that is none.
    """
    questions = triples.copy()
    questions[:, 2] = GAP
    rivals = best_new(model, questions, RIVALS, threads=threads).energies
    _, start, stop = model.known.of_gap(questions, 2)
    energies, relations = model.energies_asked(2, *triples.T)[:, None], triples[:, 1:2]
    found = probabilities.of_answers("tail", energies, rivals, stop - start, relations)[:, 0]
    nobody = left_out(model.known, "tail", triples[:, 1] * model.known.n_entities + triples[:, 0])
    spans = zip(triples[:, 2].tolist(), *nobody[:2], strict=True)
    found[[tail in nobody[2][one:end] for tail, one, end in spans]] = np.nan
    return found


def as_predictions(model: FittedModel, questions: Ids, found: BestAnswers) -> list[Predictions]:
    """The same as tables, one a question."""
    graph = model.graph
    vocabularies = (graph.entities, graph.relations, graph.entities)
    tables = []
    for row, question in enumerate(questions.tolist()):
        asked = vocabularies[question.index(GAP)]
        words = (
            "?" if id_ == GAP else vocabulary.display(id_)
            for id_, vocabulary in zip(question, vocabularies, strict=True)
        )
        given = np.flatnonzero(found.ids[row] != NOBODY).tolist()
        answers = (
            Prediction(
                rank + 1,
                asked.label(int(found.ids[row, rank])),
                asked.display(int(found.ids[row, rank])),
                -float(found.energies[row, rank]),
                (*SPLITS, None)[found.splits[row, rank]],
                _number(found.probabilities[row, rank]),
            )
            for rank in given
        )
        tables.append(Predictions(" · ".join(words), tuple(answers)))
    return tables


def _number(probability: float) -> float | None:
    return None if np.isnan(probability) else float(probability)


def _cut(new: Best, k: int) -> tuple[NDArray[np.uint8], Best]:
    splits = np.full((len(new.ids), k), NEW, dtype=np.uint8)
    return splits, Best(new.ids[:, :k], new.energies[:, :k])


def _with_known(
    model: FittedModel, questions: Ids, new: Best, k: int
) -> tuple[NDArray[np.uint8], Best]:
    """The k best of the new ones and the known ones together, and the split of each."""
    rows, ids, energies, splits = _known_answers(model, questions)
    width = new.ids.shape[1]
    rows = np.concatenate([np.repeat(np.arange(len(questions)), width), rows])
    ids = np.concatenate([new.ids.ravel(), ids])
    energies = np.concatenate([new.energies.ravel(), energies])
    splits = np.concatenate([np.full(new.ids.size, NEW, dtype=np.uint8), splits])
    order = np.lexsort((ids, energies, rows))
    # Every question has at least k rows, if only of nobody.
    first = np.searchsorted(rows[order], np.arange(len(questions)))
    chosen = order[first[:, None] + np.arange(k)]
    return splits[chosen], Best(ids[chosen], energies[chosen])


def _known_answers(
    model: FittedModel, questions: Ids
) -> tuple[Ids, Ids, NDArray[np.float32], NDArray[np.uint8]]:
    """Each known answer of each question: whose, which, its energy and its split."""
    found = []
    for gap in range(3):
        rows = np.flatnonzero(questions[:, gap] == GAP)
        if len(rows) == 0:
            continue
        answers, start, stop = model.known.of_gap(questions[rows], gap)
        sizes = stop - start
        places = np.repeat(start - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
        of = np.repeat(rows, sizes)
        triples = questions[of]
        triples[:, gap] = answers.answers[places]
        energies = model.energies_asked(gap, *triples.T)
        found.append((of, triples[:, gap], energies, answers.splits[places]))
    rows, ids, energies, splits = (np.concatenate(part) for part in zip(*found, strict=True))
    return rows, ids, energies, splits
