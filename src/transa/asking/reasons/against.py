"""What speaks against an answer: nothing learnt, the wrong place, a place that is taken."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from transa.asking.reasons.case import Case, listed, share
from transa.asking.reasons.facts import anchors_of, questions_of
from transa.asking.reasons.table import Reason
from transa.graph.known import Answers

# A place is held to be for one only if it is so of at least this share.
_MOSTLY = 0.8
# An answer further down is one that hardly anyone would look at.
_HIGH = 10


def against(
    case: Case, rank: int | None, best: list[int], probability: float | None
) -> Iterator[Reason]:
    """All that is found, the gravest first. `best` are tails that the model holds likelier."""
    yield from _nothing_learnt(case)
    yield from _wrong_place(case)
    yield from _taken(case)
    if probability is not None and probability < 0.5:
        told = "less than 1%" if probability < 0.01 else f"{probability:.0%}"
        yield Reason("against", "improbable", f"To the model its probability is {told}.")
    if rank is not None and rank > _HIGH:
        names = listed([case.entity(each) for each in best])
        yield Reason(
            "against", "rank", f"{rank - 1:,} tails are more plausible to the model: {names}."
        )


def _nothing_learnt(case: Case) -> Iterator[Reason]:
    for entity in dict.fromkeys((case.head, case.tail)):
        if not case.model.graph.seen[entity]:
            text = f"Nothing was learnt of {case.entity(entity)}: no training triple has it."
            yield Reason("against", "unseen", text)


def _wrong_place(case: Case) -> Iterator[Reason]:
    relation = case.called(case.relation)
    if case.head == case.tail and not case.known.has_loops[case.relation]:
        text = f"No known fact of {relation} leads from an entity to itself."
        yield Reason("against", "loop", text)
    for kind, side, entity, place in (
        ("domain", case.known.tails, case.head, "head"),
        ("range", case.known.heads, case.tail, "tail"),
    ):
        seen = anchors_of(side, case.relation, case.known.n_entities)
        if entity not in seen:
            text = (
                f"{case.entity(entity)} is no {place} of {relation} in any known fact, as "
                f"{len(seen):,} other entities are."
            )
            yield Reason("against", kind, text)  # type: ignore[arg-type]


def _taken(case: Case) -> Iterator[Reason]:
    """Where a relation mostly has one answer, and another is known."""
    places = (
        (case.known.tails, case.head, case.tail, "head", "tail"),
        (case.known.heads, case.tail, case.head, "tail", "head"),
    )
    for side, anchor, answer, from_, to in places:
        others = [each for each in _answers(case, side, anchor) if each != answer]
        if not others:
            continue
        first, last = questions_of(side, case.relation, case.known.n_entities)
        single = int(np.count_nonzero(np.diff(side.first[first : last + 1]) == 1))
        if single < _MOSTLY * (last - first):
            continue
        of = case.called(case.relation)
        known = listed([case.entity(each) for each in others])
        ends = (anchor, others[0]) if to == "tail" else (others[0], anchor)
        yield Reason(
            speaks="against",
            kind="taken",
            text=f"{case.entity(anchor)} has {known} as {to} of {of} already, and "
            f"{share(single, last - first, True)} {from_}s of {of} have one {to} only.",
            support=single,
            cases=last - first,
            facts=(case.fact(ends[0], case.relation, ends[1]),),
        )


def _answers(case: Case, side: Answers, anchor: int) -> list[int]:
    key = np.array([case.relation * case.known.n_entities + anchor], dtype=np.int64)
    start, stop = side.spans(key)
    return [int(each) for each in side.answers[int(start[0]) : int(stop[0])]]
