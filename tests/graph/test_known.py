"""The index of known triples against a dictionary of sets."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transa.graph.known import SIDES, KnownIndex, columns_of, question_keys


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(0, 5)), min_size=1, max_size=40
    )
)
def test_answers_are_the_distinct_ones_in_order(rows):
    triples = np.array(rows, dtype=np.int32)
    known = KnownIndex(triples, 6, 3)
    for side in SIDES:
        anchor, answer = columns_of(side)
        expected = defaultdict(set)
        for row in rows:
            expected[row[1] * 6 + row[anchor]].add(row[answer])
        keys = np.arange(18)
        for key, start, stop in zip(keys, *known.answers(side).spans(keys), strict=True):
            assert known.answers(side).answers[start:stop].tolist() == sorted(expected[key])


@pytest.mark.parametrize("side", SIDES)
def test_keys_do_not_overflow_32_bits(side):
    triples = np.array([[99_999, 99_999, 99_999]], dtype=np.int32)
    assert question_keys(triples, side, 100_000).tolist() == [9_999_999_999]
