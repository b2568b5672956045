"""Many questions of one kind, answered at once, in the words of the interface.

Each function takes what was asked as ids and gives an answer for each, as plain values for JSON.
They run in the thread of the kernels.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from transa.asking.answers import answers as answers_to
from transa.asking.answers import similar_entities
from transa.graph.known import Question

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
    """The best answers to each question, best first."""
    return [
        answers_to(served.model.model_, question, k, known).to_dicts()
        for question, k, known in asked
    ]


def similar(served: Served, asked: Sequence[Like]) -> list[list[Plain]]:
    """The entities nearest to each, nearest first."""
    found = (similar_entities(served.model.model_, entity, k).to_dicts() for entity, k in asked)
    return [[{n: v for n, v in row.items() if n != "known"} for row in rows] for rows in found]


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
    found = served.judging.discover(
        sought.relations,
        top=sought.top,
        min_probability=sought.min_probability,
        # The other cores are for the questions of others.
        threads=1,
        stop=lambda: time.monotonic() > over,
    )
    return {"facts": found.to_dicts(), "pairs": found.pairs, "complete": found.complete}
