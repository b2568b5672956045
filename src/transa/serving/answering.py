"""Many questions of one kind, answered at once, in the words of the interface.

Each function takes what was asked as ids and gives an answer for each, as plain values for JSON.
They run in the thread of the kernels.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from transa.asking.answers import similar_entities
from transa.asking.bulk.answers import best_answers
from transa.asking.bulk.best import NOBODY
from transa.graph.known import GAP, SPLITS, Question

if TYPE_CHECKING:
    from transa.serving.holding import Served

Plain: TypeAlias = dict[str, Any]


class Asked(NamedTuple):
    """A question with a gap, how many answers are wanted, and whether known ones are among them."""

    question: Question
    k: int
    known: bool


class Sought(NamedTuple):
    """Facts to be found: by which relations (None is all), how many, and how probable at least."""

    relations: tuple[str, ...] | None
    top: int
    min_probability: float | None


class Like(NamedTuple):
    """An entity, and how many like it are wanted."""

    entity: int
    k: int


def answers(served: Served, asked: Sequence[Asked]) -> list[list[Plain]]:
    """The best answers to each question, best first; those that ask for as much, in one call."""
    found: list[list[Plain]] = [[] for _ in asked]
    alike: dict[tuple[int, bool], list[int]] = {}
    for row, (_, k, known) in enumerate(asked):
        alike.setdefault((k, known), []).append(row)
    for (k, known), rows in alike.items():
        questions = [asked[row].question for row in rows]
        for row, told in zip(rows, _best(served, questions, k, known), strict=True):
            found[row] = told
    return found


def _best(
    served: Served, questions: Sequence[Question], k: int, known: bool
) -> Iterator[list[Plain]]:
    learnt = served.model.learnt_
    ids = np.array([[GAP if i is None else i for i in q] for q in questions], dtype=np.int64)
    best = best_answers(
        learnt.model,
        ids,
        k,
        known=known,
        probabilities=learnt.probabilities,
        threads=served.kernel_threads,
    )
    # As lists, all at once: to take numbers out of arrays one by one would take longer than to
    # find them.
    columns = (-best.energies, best.splits, best.probabilities)
    told = zip(best.ids.tolist(), *(column.tolist() for column in columns), strict=True)
    splits = (*SPLITS, None)
    for question, (answer, scores, known_in, probabilities) in zip(questions, told, strict=True):
        names = served.relations if question[1] is None else served.entities
        yield [
            {
                "rank": rank,
                "label": names.labels[id_],
                "name": names.names[id_],
                "score": round(score, 6),
                "known": splits[split],
                # NaN, the one number that is not itself, stands for none.
                "probability": round(p, 6) if p == p else None,
            }
            for rank, (id_, score, split, p) in enumerate(
                zip(answer, scores, known_in, probabilities, strict=True), start=1
            )
            if id_ != NOBODY
        ]


def similar(served: Served, asked: Sequence[Like]) -> list[list[Plain]]:
    """The entities nearest to each, nearest first."""
    return [
        [
            {"rank": row.rank, "label": row.label, "name": row.name, "score": row.score}
            for row in similar_entities(served.model.model_, entity, k)
        ]
        for entity, k in asked
    ]


def scores(served: Served, asked: Sequence[tuple[int, int, int]]) -> list[float]:
    """The plausibility of each triple: minus its energy."""
    h, r, t = zip(*asked, strict=True)
    return [float(e) for e in -served.model.model_.energies([*h], [*r], [*t])]


def verdicts(served: Served, asked: Sequence[tuple[str, str, str]]) -> list[Plain]:
    """Whether each triple of labels is held true; labels may be unknown."""
    return [dict(row) for row in served.judging.classify(asked).to_dicts()]


def reasons(served: Served, triple: Question, k: int) -> Plain:
    """What speaks for a triple and what against it, and the same in a sentence."""
    h, r, t = (int(id_) for id_ in triple if id_ is not None)
    names, relations = served.entities.labels, served.relations.labels
    found = served.model.reasons(names[h], relations[r], names[t], k)
    rows = [{**row, "confidence": found[i].confidence} for i, row in enumerate(found.to_dicts())]
    return {
        "question": found.question,
        "sentence": found.sentence,
        "score": found.score,
        "rank": found.rank,
        "probability": found.probability,
        "known": found.known,
        "reasons": rows,
    }


def discover(served: Served, sought: Sought, seconds: float) -> Plain:
    """The most plausible new facts; the best found so far once the time is over."""
    over = time.monotonic() + seconds
    found = served.model.discover(
        sought.relations,
        top=sought.top,
        min_probability=sought.min_probability,
        # The other cores are for the questions of others.
        threads=1,
        stop=lambda: time.monotonic() > over,
    )
    return {"facts": found.to_dicts(), "pairs": found.pairs, "complete": found.complete}
