"""Relations that go along: a pair that one of them joins, another often joins too."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from transa.asking.reasons.case import Case, share
from transa.asking.reasons.facts import has, pairs_of, steps_from
from transa.asking.reasons.table import Reason

# Of a relation with more facts so many are looked at, drawn with a fixed seed.
_MOST = 50_000


def relations_along(case: Case) -> Iterator[Reason]:
    """A reason for each relation that leads from head to tail, or back."""
    steps = steps_from(case.known, case.head)
    joins = steps.other == case.tail
    found = set(zip(steps.relation[joins].tolist(), steps.outgoing[joins].tolist(), strict=True))
    for relation, outgoing in sorted(found - {(case.relation, True)}):
        reason = _reason(case, relation, outgoing)
        if reason is not None:
            yield reason


def _reason(case: Case, relation: int, outgoing: bool) -> Reason | None:
    """How often the asked relation joins what this one does, in the same sense or the other."""
    ends = pairs_of(case.known, relation)
    exact = len(ends[0]) <= _MOST
    if not exact:
        drawn = np.random.default_rng(0).choice(len(ends[0]), _MOST, replace=False)
        ends = ends[0][drawn], ends[1][drawn]
    heads, tails = ends if outgoing else ends[::-1]
    others = (heads != case.head) | (tails != case.tail)
    heads, tails = heads[others], tails[others]
    if len(heads) == 0:
        return None
    support = int(np.count_nonzero(has(case.known, case.relation, heads, tails)))
    this, asked = case.called(relation), case.called(case.relation)
    one, other = (case.head, case.tail) if outgoing else (case.tail, case.head)
    way = "too" if outgoing else "the other way round"
    return Reason(
        speaks="for",
        kind="relation" if outgoing else "inverse",
        text=f"{case.told(one, relation, other)} is known; of the other pairs with {this}, "
        f"{share(support, len(heads), exact)} have {asked} {way}.",
        support=support,
        cases=len(heads),
        exact=exact,
        facts=(case.fact(one, relation, other),),
    )
