"""The index of known triples against a dictionary of sets."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transa import from_ids
from transa.graph.known import _LOOKS, SIDES, SPLITS, KnownIndex, columns_of, question_keys


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


SPLIT_IN_THREE = st.tuples(
    *(
        st.lists(
            st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 4)),
            min_size=smallest,
            max_size=12,
        )
        for smallest in (1, 0, 0)
    )
)


@given(SPLIT_IN_THREE)
def test_an_answer_bears_the_first_split_that_has_it(splits):
    graph = from_ids(splits[0], valid=splits[1], test=splits[2], n_entities=5, n_relations=3)
    questions = [(h, r, None) for h in range(5) for r in range(3)]
    questions += [(None, r, t) for r in range(3) for t in range(5)]
    questions += [(h, None, t) for h in range(5) for t in range(5)]
    for question in questions:
        place, wanted = question.index(None), {}
        for name, rows in zip(("train", "valid", "test"), splits, strict=True):
            for row in rows:
                if all(asked in (None, had) for asked, had in zip(question, row, strict=True)):
                    wanted.setdefault(row[place], name)
        looked_through, looked_up = (
            dict(zip(answers.tolist(), (SPLITS[i] for i in numbers), strict=True))
            for answers, numbers in (
                graph.index._look_through(question),
                graph.index._look_up(question),
            )
        )
        assert looked_through == looked_up == graph.index.answers_to(question) == wanted
    loops = {r for rows in splits for h, r, t in rows if h == t}
    assert np.flatnonzero(graph.index.has_loops).tolist() == sorted(loops)


def test_triples_are_sorted_once_it_pays():
    index = from_ids([[0, 0, 1], [1, 0, 2]]).index
    told = [index.answers_to((0, 0, None)) for _ in range(_LOOKS)]
    assert "tails" not in vars(index)
    told.append(index.answers_to((0, 0, None)))
    assert "tails" in vars(index)
    assert told == [{1: "train"}] * (_LOOKS + 1)
