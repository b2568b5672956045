"""The reasons for and against an answer, found in bounded time whatever hubs it has."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

import numpy as np

from transa.asking.answers import check_k
from transa.asking.probability.curves import RIVALS, Probabilities
from transa.asking.reasons.against import against
from transa.asking.reasons.case import Case
from transa.asking.reasons.likeness import likeness
from transa.asking.reasons.paths import paths_along
from transa.asking.reasons.relations import relations_along
from transa.asking.reasons.table import Reason, Reasons
from transa.graph.candidates import may_answer_itself
from transa.models.distances import nearest
from transa.models.fitted import FittedModel

# What is so in fewer cases speaks for nothing.
_LEAST = 0.1
# Answers that are named as likelier.
_NAMED = 3


def reasons_of(
    model: FittedModel,
    head: int,
    relation: int,
    tail: int,
    k: int = 5,
    probabilities: Probabilities | None = None,
) -> Reasons:
    """At most k reasons for the triple and k against it; see `Reasons`.

    That the graph may have the triple itself counts for nothing: the reasons are the same before
    and after it is added.
    """
    check_k(k)
    case = Case(model, head, relation, tail)
    found = list(chain(relations_along(case), paths_along(case), likeness(case)))
    speaking = [reason for reason in found if reason.speaks == "for" and _strength(reason) > 0]
    speaking.sort(key=lambda reason: (-_strength(reason), reason.text))
    stands = _standing(case, probabilities)
    opposing = list(against(case, stands.rank, stands.best, stands.probability))
    opposing += [reason for reason in found if reason.speaks == "against"]
    rows = (*speaking[:k], *opposing[:k])
    return Reasons(case.words, stands.score, stands.rank, stands.probability, stands.known, rows)


def _strength(reason: Reason) -> float:
    """The share, drawn towards nothing where the cases are few; 0 if it is too small to tell."""
    if reason.support is None or not reason.cases:
        return 0.0
    return reason.support / (reason.cases + 2) if reason.support >= _LEAST * reason.cases else 0.0


class _Standing(NamedTuple):
    """How the model sees the triple, and the tails it holds likelier."""

    score: float
    rank: int | None
    probability: float | None
    known: str | None
    best: list[int]


def _standing(case: Case, probabilities: Probabilities | None) -> _Standing:
    question = (case.head, case.relation, None)
    energies = case.model.energies_of_answers(question)
    splits = case.known.answers_to(question)
    rivals = energies.copy()
    # As if the graph did not have it: what is asked is whether one would believe it.
    rivals[[each for each in splits if each != case.tail]] = np.inf
    if not may_answer_itself(case.known, case.relation):
        rivals[case.head] = np.inf
    best = nearest(rivals, min(RIVALS, len(rivals)))
    own = energies[case.tail]
    rank, probability = None, None
    if case.tail not in splits:
        rank = 1 + int(np.count_nonzero(rivals < own))
        if probabilities is not None:
            asked = np.array([[own]]), rivals[best][None], np.array([len(splits)])
            relations = np.array([[case.relation]])
            probability = float(probabilities.of_answers("tail", *asked, relations)[0, 0])
    score = -float(case.model.energies(case.head, case.relation, case.tail)[0])
    named = [int(each) for each in best[:_NAMED]]
    return _Standing(score, rank, probability, splits.get(case.tail), named)
