"""Triples as questions: nothing lost, nothing repeated."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from transa.kernels.training.sampling import HEAD, TAIL
from transa.training.engines.questions import batches

ids = st.integers(0, 4)


@given(
    st.lists(st.tuples(ids, ids, ids), min_size=1, max_size=30),
    st.integers(1, 8),
    st.integers(0, 3),
    st.booleans(),
    st.sampled_from([math.inf, 1, 12]),
)
def test_every_triple_is_answered_once_from_either_side(triples, size, seed, by_relation, most):
    given_triples = np.array(triples, dtype=np.int32)
    found, asked = {0: Counter(), 1: Counter()}, set()
    rng = np.random.default_rng(seed)
    options = {"by_relation": by_relation, "most": most}
    for batch in batches(given_triples, (HEAD, TAIL), size, rng, **options):
        assert 0 < len(batch.anchor) <= size
        assert len(batch.anchor) == 1 or len(batch.anchor) * len(batch.answer) <= most
        relations = np.broadcast_to(batch.relation, batch.anchor.shape)
        # A question is in one batch alone, with all its answers.
        questions = {(batch.side, *q) for q in zip(batch.anchor, relations, strict=True)}
        assert len(questions) == len(batch.anchor)
        assert not questions & asked
        asked |= questions
        for place, answer in zip(batch.asked, batch.answer, strict=True):
            anchor, relation = batch.anchor[place], relations[place]
            ends = (anchor, answer) if batch.side == TAIL else (answer, anchor)
            found[batch.side][ends[0], relation, ends[1]] += 1
    assert found[0] == found[1] == Counter(triples)


def test_a_bound_that_is_not_reached_changes_nothing():
    triples = np.random.default_rng(0).integers(0, 5, (60, 3)).astype(np.int32)
    free, bound = (
        batches(triples, (HEAD, TAIL), 4, np.random.default_rng(1), most=most)
        for most in (math.inf, 10**6)
    )
    for one, other in zip(free, bound, strict=True):
        np.testing.assert_array_equal(one.answer, other.answer)
