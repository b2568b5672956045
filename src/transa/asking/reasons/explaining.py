"""The reasons for and against an answer, found in bounded time whatever hubs it has."""

from __future__ import annotations

from itertools import chain

import numpy as np

from transa.asking.answers import check_k
from transa.asking.reasons.against import against
from transa.asking.reasons.case import Case
from transa.asking.reasons.likeness import likeness
from transa.asking.reasons.paths import paths_along
from transa.asking.reasons.relations import relations_along
from transa.asking.reasons.table import Reason, Reasons
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
    probability: float | None = None,
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
    score, rank, best, known = _standing(case)
    opposing = list(against(case, rank, best, probability))
    opposing += [reason for reason in found if reason.speaks == "against"]
    rows = (*speaking[:k], *opposing[:k])
    return Reasons(case.words, score, rank, probability, known, rows)


def _strength(reason: Reason) -> float:
    """The share, drawn towards nothing where the cases are few; 0 if it is too small to tell."""
    if reason.support is None or not reason.cases:
        return 0.0
    return reason.support / (reason.cases + 2) if reason.support >= _LEAST * reason.cases else 0.0


def _standing(case: Case) -> tuple[float, int | None, list[int], str | None]:
    """The score, the rank among tails that are not known, the best of those, and its split."""
    question = (case.head, case.relation, None)
    energies = case.model.energies_of_answers(question)
    splits = case.known.answers_to(question)
    own = float(energies[case.tail])
    rank = None
    others = energies.copy()
    others[[each for each in splits if each != case.tail]] = np.inf
    if case.head != case.tail and not case.known.has_loops[case.relation]:
        others[case.head] = np.inf
    if case.tail not in splits:
        rank = 1 + int(np.count_nonzero(others < own))
    best = nearest(others, min(_NAMED, len(others)))
    score = -float(case.model.energies(case.head, case.relation, case.tail)[0])
    return score, rank, [int(each) for each in best], splits.get(case.tail)
