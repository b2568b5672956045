"""Which partitions are at hand when."""

from __future__ import annotations

import numpy as np
import pytest

from transa.prepared.layout import Layout, Pair, pair_of, pairs_among
from transa.prepared.order import fewest_reads, reads, turns
from transa.prepared.schedule import few_swaps

SIZES = [
    (1, 1),
    (2, 2),
    (3, 2),
    (4, 2),
    (4, 3),
    (8, 2),
    (8, 3),
    (8, 4),
    (8, 5),
    (8, 8),
    (12, 4),
    (16, 4),
    (16, 8),
    (24, 4),
    (32, 4),
]


@pytest.mark.parametrize(("partitions", "at_hand"), SIZES)
def test_every_two_meet_once_and_reads_are_near_the_fewest(partitions, at_hand):
    order = turns(partitions, at_hand, np.random.default_rng(0))
    assert sorted(pair for turn in order for pair in turn.buckets) == pairs_among(range(partitions))
    for turn in order:
        assert len(turn.at_hand) == at_hand
        assert all(turn.at_hand.issuperset(pair) for pair in turn.buckets)
    assert reads(order) <= 1.1 * fewest_reads(partitions, at_hand)
    assert reads(order) >= fewest_reads(partitions, at_hand)


def test_of_few_partitions_the_order_is_better_than_marius():
    assert [reads(turns(p, 4, np.random.default_rng(1))) for p in (8, 12)] == [
        fewest_reads(p, 4) for p in (8, 12)
    ]
    # Too many to look for one.
    assert few_swaps(64, 4, 1000) is None


def test_an_epoch_begins_with_what_is_at_hand_and_is_another_each_time():
    first = turns(8, 4, np.random.default_rng(0))
    then = turns(8, 4, np.random.default_rng(1), first[-1].at_hand)
    assert then[0].at_hand == first[-1].at_hand
    assert reads(then, first[-1].at_hand) == reads(then) - 4
    assert then != turns(8, 4, np.random.default_rng(2), first[-1].at_hand)


def test_the_last_partition_has_what_is_left_and_none_is_empty():
    assert [Layout.of(10, 4).size(p) for p in range(4)] == [3, 3, 3, 1]
    assert Layout.of(9, 8).partitions == 5
    assert Layout.of(3, 100).partitions == 3


def test_ids_of_the_higher_partition_follow_those_of_the_lower():
    layout, ids = Layout.of(10, 4), np.arange(3, dtype=np.int32)
    assert pair_of(2, 1) == Pair(1, 2)
    assert layout.in_bucket(ids, 1, Pair(1, 2)).tolist() == [0, 1, 2]
    assert layout.in_bucket(ids, 2, Pair(1, 2)).tolist() == [3, 4, 5]
