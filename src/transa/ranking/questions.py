"""Triples as questions: (h, r, ?) and (?, r, t).

Triples that share a question share its candidates' energies, which are computed once. In FB15K's
test split that saves two questions in five.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transa.graph import Triples
from transa.graph.candidates import Protocol, left_out
from transa.graph.known import KnownIndex, Side, columns_of, question_keys
from transa.kernels.ranking.counting import Questions


@dataclass(frozen=True, eq=False)
class Asked:
    """Distinct questions of one side, sorted by relation, then anchor.

    Attributes:
        side: which side is asked for.
        relation: per question.
        anchor: per question, the entity that is given.
        questions: the true and the known answers, as kernels take them.
    """

    side: Side
    relation: NDArray[np.int64]
    anchor: NDArray[np.int64]
    questions: Questions

    def __len__(self) -> int:
        return len(self.relation)

    def answers_of(self, start: int, stop: int) -> slice:
        """Where the true answers of the questions start .. stop − 1 are."""
        first = self.questions.first
        return slice(int(first[start]), int(first[stop]))

    def part(self, start: int, stop: int) -> Asked:
        """The questions start .. stop − 1 by themselves."""
        whole = self.questions
        questions = Questions(
            first=whole.first[start : stop + 1] - whole.first[start],
            answers=whole.answers[self.answers_of(start, stop)],
            known_start=whole.known_start[start:stop],
            known_stop=whole.known_stop[start:stop],
            known=whole.known,
        )
        return Asked(self.side, self.relation[start:stop], self.anchor[start:stop], questions)


def ask(
    triples: Triples, side: Side, known: KnownIndex, protocol: Protocol = "published"
) -> tuple[Asked, NDArray[np.int64]]:
    """The questions that these triples answer, and for each answer the row of its triple."""
    keys = question_keys(triples, side, known.n_entities)
    rows = np.argsort(keys, kind="stable")
    distinct, first = np.unique(keys[rows], return_index=True)
    _, answer = columns_of(side)
    start, stop, no_candidates = left_out(known, side, distinct, protocol)
    questions = Questions(
        first=np.append(first, len(triples)),
        answers=np.ascontiguousarray(triples[rows, answer]),
        known_start=start,
        known_stop=stop,
        known=no_candidates,
    )
    relation, anchor = np.divmod(distinct, known.n_entities)
    return Asked(side, relation, anchor, questions), rows
