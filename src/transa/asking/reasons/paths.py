"""Paths of two steps from head to tail, and how often such a path goes with the relation asked.

A pattern is (relation, sense) twice: h –r₁→ x ←r₂– t for example. Its confidence is the share of
the pairs that it joins which the relation joins too. Where it joins few, all are looked at; round a
hub it joins more than there is time for, and entities are drawn to begin from, with a fixed seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from transa.asking.reasons.case import Case, listed, share
from transa.asking.reasons.facts import Ids, has, questions_of, spread, steps_from
from transa.asking.reasons.table import Reason
from transa.graph.known import Answers

# Ways from head to tail that are looked at, and patterns among them that are counted.
_MOST_WAYS, _MOST_PATTERNS = 20_000, 16
# Facts of the first step, and pairs, that a pattern's confidence is counted from.
_MOST_FACTS, _MOST_PAIRS = 20_000, 20_000


class Pattern(NamedTuple):
    """Two relations, and whether each is followed from its head to its tail."""

    first: int
    first_forth: bool
    second: int
    second_forth: bool


def paths_along(case: Case) -> Iterator[Reason]:
    """A reason for each pattern that joins head and tail; the most telling patterns only."""
    found = _joining(case)
    sizes = _sizes(case)

    # Rare relations tell more, and so do many ways.
    def breadth(pattern: Pattern) -> float:
        return float(sizes[pattern.first] + sizes[pattern.second]) / len(found[pattern])

    told = set()
    for pattern in sorted(found, key=lambda p: (breadth(p), p))[:_MOST_PATTERNS]:
        counted, middles = confidence(case, pattern), found[pattern]
        # A relation that holds both ways makes four patterns of one.
        if counted[1] and (*counted, *middles) not in told:
            told.add((*counted, *middles))
            yield _reason(case, pattern, middles, *counted)


def _sizes(case: Case) -> Ids:
    """How many facts each relation has."""
    answers = case.known.tails
    relation = answers.keys // case.known.n_entities
    counts: Ids = np.bincount(relation, np.diff(answers.first), case.known.n_relations)
    return counts


def _joining(case: Case) -> dict[Pattern, list[int]]:
    """The patterns that join head and tail, each with the entities in the middle."""
    away, back = steps_from(case.known, case.head), steps_from(case.known, case.tail)
    order = np.argsort(back.other, kind="stable")
    middles = back.other[order]
    ends = np.isin(away.other, [case.head, case.tail])
    start = np.searchsorted(middles, away.other, "left")
    stop = np.where(ends, start, np.searchsorted(middles, away.other, "right"))
    # Of a hub's ways the first: what they are of is no matter, and there are enough.
    last = int(np.searchsorted(np.cumsum(stop - start), _MOST_WAYS)) + 1
    places, sizes = spread(start[:last], stop[:last])
    one, other = np.repeat(np.arange(len(sizes)), sizes), order[places]
    ways = zip(
        away.relation[one].tolist(),
        away.outgoing[one].tolist(),
        back.relation[other].tolist(),
        (~back.outgoing[other]).tolist(),
        away.other[one].tolist(),
        strict=True,
    )
    found: dict[Pattern, list[int]] = {}
    for *pattern, middle in ways:
        found.setdefault(Pattern(*pattern), []).append(middle)
    return found


def confidence(case: Case, pattern: Pattern) -> tuple[int, int, bool]:
    """Of the other pairs that it joins: how many the relation joins, how many, and if all."""
    known, n = case.known, case.known.n_entities
    begin = known.tails if pattern.first_forth else known.heads
    go_on = known.tails if pattern.second_forth else known.heads
    anchors, middles, exact = _first_steps(begin, pattern.first, n)
    start, stop = go_on.spans(pattern.second * np.int64(n) + middles)
    rng = np.random.default_rng(0)
    if int((stop - start).sum()) > _MOST_PAIRS:
        exact = False
        order = rng.permutation(len(start))
        order = order[: int(np.searchsorted(np.cumsum((stop - start)[order]), _MOST_PAIRS)) + 1]
        anchors, middles, start, stop = (each[order] for each in (anchors, middles, start, stop))
    places, sizes = spread(start, stop)
    drawn = np.arange(len(places))
    if len(places) > 2 * _MOST_PAIRS:
        # One hub has more than all others together.
        drawn = rng.choice(len(places), _MOST_PAIRS, replace=False)
    row = np.repeat(np.arange(len(sizes)), sizes)[drawn]
    ones, between, others = anchors[row], middles[row], go_on.answers[places[drawn]]
    joined = (ones != between) & (between != others) & (ones != others)
    pairs = np.unique(ones[joined] * np.int64(n) + others[joined])
    pairs = pairs[pairs != case.head * n + case.tail]
    ones, others = np.divmod(pairs, n)
    return int(np.count_nonzero(has(known, case.relation, ones, others))), len(pairs), exact


def _first_steps(answers: Answers, relation: int, n_entities: int) -> tuple[Ids, Ids, bool]:
    """From whom to whom a relation leads, and whether these are all; whole entities are drawn."""
    first, last = questions_of(answers, relation, n_entities)
    order = np.arange(first, last)
    sizes = answers.first[order + 1] - answers.first[order]
    exact = int(sizes.sum()) <= _MOST_FACTS
    if not exact:
        order = np.random.default_rng(0).permutation(order)
        sizes = answers.first[order + 1] - answers.first[order]
        order = order[: int(np.searchsorted(np.cumsum(sizes), _MOST_FACTS)) + 1]
    places, sizes = spread(answers.first[order], answers.first[order + 1])
    anchors = answers.keys[order] - relation * np.int64(n_entities)
    return np.repeat(anchors, sizes), answers.answers[places].astype(np.int64), exact


def _reason(
    case: Case, pattern: Pattern, middles: list[int], support: int, cases: int, exact: bool
) -> Reason:
    middle = middles[0]
    one = (case.head, pattern.first, middle)
    other = (middle, pattern.second, case.tail)
    one = one if pattern.first_forth else one[::-1]
    other = other if pattern.second_forth else other[::-1]
    rest = [case.entity(each) for each in dict.fromkeys(middles[1:])]
    also = f" (so it is by way of {listed(rest)})" if rest else ""
    return Reason(
        speaks="for",
        kind="path",
        text=f"{case.told(*one)} and {case.told(*other)} are known{also}; of the other pairs "
        f"joined like that, {share(support, cases, exact)} have {case.called(case.relation)}.",
        support=support,
        cases=cases,
        exact=exact,
        facts=(case.fact(*one), case.fact(*other)),
    )
