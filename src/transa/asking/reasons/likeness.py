"""What is known of entities like the head, or like the tail."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from transa.asking.reasons.case import Case, listed
from transa.asking.reasons.facts import Ids, anchors_of, has
from transa.asking.reasons.table import Reason
from transa.models.distances import distances_to, nearest

# So many like ones are asked.
LIKE = 10
# Of more that have the relation so many are looked at, drawn with a fixed seed.
_MOST = 100_000


def likeness(case: Case) -> Iterator[Reason]:
    """What the heads most like the head say, and the tails most like the tail."""
    yield from _heads(case)
    yield from _tails(case)


def _heads(case: Case) -> Iterator[Reason]:
    like, exact = _like(case, case.head, anchors_of(case.known.tails, *_of(case)))
    if len(like) == 0:
        return
    have = like[has(case.known, case.relation, like, np.full_like(like, case.tail))].tolist()
    who = f"Of the {len(like)} entities most like {case.entity(case.head)} that have "
    yield _said(
        *(case, "similar heads", f"{who}{case.called(case.relation)}", have, len(like), exact),
        f"{case.entity(case.tail)} as tail",
        [(each, case.relation, case.tail) for each in have],
    )


def _tails(case: Case) -> Iterator[Reason]:
    like, exact = _like(case, case.tail, anchors_of(case.known.heads, *_of(case)))
    if len(like) == 0:
        return
    have = like[has(case.known, case.relation, np.full_like(like, case.head), like)].tolist()
    who = f"Of the {len(like)} entities most like {case.entity(case.tail)} that are tails of "
    yield _said(
        *(case, "similar tails", f"{who}{case.called(case.relation)}", have, len(like), exact),
        f"{case.entity(case.head)} as head",
        [(case.head, case.relation, each) for each in have],
    )


def _of(case: Case) -> tuple[int, int]:
    return case.relation, case.known.n_entities


def _like(case: Case, entity: int, among: Ids) -> tuple[Ids, bool]:
    """The nearest to an entity of those that stand where it does."""
    among = among[among != entity]
    exact = len(among) <= _MOST
    if not exact:
        among = np.sort(np.random.default_rng(0).choice(among, _MOST, replace=False))
    far = distances_to(entity, among, case.model.tables["entity"], case.model.norm)
    return among[nearest(far, min(LIKE, len(among)))], exact


def _said(
    case: Case,
    kind: str,
    who: str,
    have: list[int],
    asked: int,
    exact: bool,
    what: str,
    facts: list[tuple[int, int, int]],
) -> Reason:
    named = f": {listed([case.entity(each) for each in have], 5)}" if have else ""
    verb = "has" if len(have) == 1 else "have"
    return Reason(
        speaks="for" if have else "against",
        kind=kind,  # type: ignore[arg-type]
        text=f"{who}, {len(have) or 'none'} {verb} {what}{named}.",
        support=len(have),
        cases=asked,
        exact=exact,
        facts=tuple(case.fact(*each) for each in facts[:5]),
    )
