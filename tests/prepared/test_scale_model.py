"""The simulation of large graphs, where the answer is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.scale_constants import Costs
from benchmarks.scale_model import (
    STATED,
    Job,
    costs_on,
    layout_for,
    many_machines,
    one_machine,
)
from transa.prepared.layout import Layout
from transa.prepared.order import reads, turns

NOTHING = Costs(ask=0, train=0, copy=0, read=0, write=0, blend=0, overhead=0)
JOB = Job("some", 8_000, 1_000_000, 100)
LAYOUT = Layout.of(8_000, 8)


def test_cores_alone_take_what_all_triples_take():
    costs = replace(NOTHING, ask=1e-6, train=4e-6)
    assert one_machine(JOB, LAYOUT, 4, costs).seconds == pytest.approx(10)
    assert one_machine(JOB, Layout.of(8_000, 1), 1, costs).seconds == pytest.approx(10)
    # Two machines side by side, of which each has a bucket at all times but in the last round.
    assert 5 <= many_machines(JOB, LAYOUT, 4, 2, costs).seconds < 10


def test_what_moves_is_what_the_order_reads_and_writes():
    told = one_machine(JOB, LAYOUT, 4, NOTHING)
    order = turns(8, 4, np.random.default_rng(0))
    part = 1_000 * JOB.row_bytes
    # What comes is read; what goes, and at the end what is at hand, is written. Means as well.
    transfers = reads(order, order[0].at_hand) + reads(order)
    assert told.moved == pytest.approx(transfers * part + 2 * 8_000 * 400)


def test_a_disk_is_waited_for_only_where_it_takes_longer_than_the_cores():
    slow = replace(NOTHING, train=1e-5)
    part = 1_000 * JOB.row_bytes
    hidden = one_machine(JOB, LAYOUT, 4, replace(slow, read=0.1 / part)).seconds
    assert hidden == pytest.approx(one_machine(JOB, LAYOUT, 4, slow).seconds, rel=0.01)
    awaited = one_machine(JOB, LAYOUT, 4, replace(slow, read=10 / part)).seconds
    assert awaited > 8 * 10


def test_machines_have_room_and_enough_to_do():
    large = Job("large", 86_000_000, 338_000_000, 400)
    layout, at_hand = layout_for(large, STATED, 64)
    assert layout.partitions >= 64 * at_hand
    assert layout_for(large, STATED, 1)[0].partitions > at_hand
    here = replace(NOTHING, train=1e-6)
    assert here.train / 16 < costs_on(STATED, here, 2, 1).train < here.train / 4
