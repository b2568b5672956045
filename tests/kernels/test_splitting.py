from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from transa.kernels.splitting import hold_out

TRIPLES = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=20
)


@given(TRIPLES, st.integers(0, 20), st.randoms(use_true_random=False))
def test_it_takes_what_a_plain_search_takes(rows, wanted, random):
    order = list(range(len(rows)))
    random.shuffle(order)
    triples = np.array(rows, dtype=np.int32)
    entity_degrees = np.array([sum(e in (h, t) for h, _, t in rows) for e in range(5)])
    relation_degrees = np.array([sum(r == k for _, k, _ in rows) for r in range(3)])
    found = hold_out(triples, np.array(order), entity_degrees, relation_degrees, wanted)
    assert found.tolist() == plain_search(rows, order, wanted)


def plain_search(rows: list[tuple[int, int, int]], order: list[int], wanted: int) -> list[int]:
    held_out: list[int] = []
    for index in order:
        left = [row for i, row in enumerate(rows) if i not in (*held_out, index)]
        head, relation, tail = rows[index]
        entities = {entity for h, _, t in left for entity in (h, t)}
        relations = {r for _, r, _ in left}
        if len(held_out) < wanted and {head, tail} <= entities and relation in relations:
            held_out.append(index)
    return held_out
