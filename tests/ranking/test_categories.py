"""Categories of relations made to measure."""

from __future__ import annotations

import numpy as np

from transa.graph.known import KnownIndex
from transa.ranking.categories import relation_categories

ONE_TO_ONE = [(0, 0, 5), (1, 0, 6), (2, 0, 7)]
ONE_TO_MANY = [(0, 1, 5), (0, 1, 6), (1, 1, 7), (1, 1, 8)]
MANY_TO_ONE = [(t, 2, h) for h, _, t in ONE_TO_MANY]
MANY_TO_MANY = [(h, 3, t) for h in (0, 1) for t in (5, 6)]


def test_each_category():
    triples = np.array(ONE_TO_ONE + ONE_TO_MANY + MANY_TO_ONE + MANY_TO_MANY, dtype=np.int32)
    assert relation_categories(KnownIndex(triples, 9, 4)) == ["1-1", "1-N", "N-1", "N-N"]


def test_the_mean_decides_at_one_and_a_half():
    three_tails_of_two_heads = [(0, 0, 5), (0, 0, 6), (1, 0, 7)]
    four_tails_of_three_heads = [(0, 1, 5), (0, 1, 6), (1, 1, 7), (2, 1, 8)]
    triples = np.array(three_tails_of_two_heads + four_tails_of_three_heads, dtype=np.int32)
    assert relation_categories(KnownIndex(triples, 9, 2)) == ["1-N", "1-1"]


def test_repeated_triples_count_once():
    triples = np.array(ONE_TO_ONE * 3, dtype=np.int32)
    assert relation_categories(KnownIndex(triples, 9, 1)) == ["1-1"]


def test_a_relation_without_triples_is_one_to_one():
    assert relation_categories(KnownIndex(np.array(ONE_TO_MANY, dtype=np.int32), 9, 3)) == [
        "1-1",
        "1-N",
        "1-1",
    ]
