from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from transa.graph.sorting import distinct_triples, order_by, packed

ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 2)), max_size=20)
# Ids that fit 64 bits together, and ids that do not.
SCALES = st.sampled_from([(1, 1, 1), (2**30 - 1, 2**20, 2**30 - 1)])


def scaled(rows: list[tuple[int, int, int]], scales: tuple[int, int, int]) -> np.ndarray:
    return (np.array(rows, dtype=np.int64).reshape(-1, 3) * scales).astype(np.int32)


@given(ROWS, SCALES)
def test_packed_ids_are_in_the_order_of_the_triples(rows, scales):
    keys = packed(scaled(rows, scales)).tolist()
    assert [[a < b for b in keys] for a in keys] == [[a < b for b in rows] for a in rows]


@given(ROWS, SCALES)
def test_any_column_can_come_first(rows, scales):
    order = order_by(scaled(rows, scales), (2, 0, 1))
    expected = sorted(range(len(rows)), key=lambda i: (rows[i][2], rows[i][0], rows[i][1]))
    assert order.tolist() == expected


@given(ROWS, SCALES)
def test_distinct_triples_are_sorted(rows, scales):
    found = distinct_triples(scaled(rows, scales))
    assert found.tolist() == scaled(sorted(set(rows)), scales).tolist()
