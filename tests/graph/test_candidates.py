"""Who is a candidate, against the rule in words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transa.graph.candidates import PROTOCOLS, left_out, may_answer_itself
from transa.graph.known import SIDES, KnownIndex, columns_of


@given(
    rows=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2), st.integers(0, 6)), min_size=1),
    side=st.sampled_from(SIDES),
    protocol=st.sampled_from(PROTOCOLS),
)
def test_known_answers_are_left_out_and_the_entity_asked_about_where_no_loops_are(
    rows, side, protocol
):
    known = KnownIndex(np.array(rows, dtype=np.int32), 7, 3)
    keys = np.arange(21)
    start, stop, entities = left_out(known, side, keys, protocol)
    anchor, answer = columns_of(side)
    for key in keys:
        relation, about = divmod(int(key), 7)
        wanted = {row[answer] for row in rows if (row[1], row[anchor]) == (relation, about)}
        has_loops = any(h == t for h, r, t in rows if r == relation)
        if protocol == "offered" and not has_loops:
            wanted.add(about)
        assert entities[start[key] : stop[key]].tolist() == sorted(wanted)
        assert may_answer_itself(known, relation) == has_loops


def test_a_relation_that_leads_to_itself_once_offers_everyone(atlas):
    assert not may_answer_itself(atlas.index, np.array([0, 1])).any()
    with pytest.raises(IndexError):
        may_answer_itself(atlas.index, 2)
