from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from transa.graph.duplicates import (
    copies_and_originals,
    count_repeats,
    count_shared,
    drop_copies,
    keys_by_split,
    keys_of,
)

ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 2)), max_size=20)
# Sizes that fit 64 bits when multiplied, and sizes that do not.
SIZES = st.sampled_from([(3, 2), (2**31 - 1, 2**20)])


def array(rows: list[tuple[int, int, int]]) -> np.ndarray:
    return np.array(rows, dtype=np.int32).reshape(-1, 3)


@given(ROWS, SIZES)
def test_keys_are_equal_where_triples_are(rows, sizes):
    keys = keys_of(array(rows), *sizes)
    assert [[a == b for b in keys] for a in keys] == [[a == b for b in rows] for a in rows]


def test_keys_do_not_wrap_round():
    # With these sizes a head counts 2**40, so 2**24 heads on a plain product would be back at 0.
    keys = keys_of(array([(0, 0, 0), (2**24, 0, 0)]), 2**30, 2**10)
    assert keys[0] != keys[1]


@given(ROWS, ROWS, SIZES)
def test_counts_are_those_of_python(train, test, sizes):
    keys = keys_by_split({"train": array(train), "test": array(test)}, *sizes)
    assert count_repeats(keys["train"]) == sum(n - 1 for n in Counter(train).values())
    assert count_shared(keys["train"], keys["test"]) == len(set(train) & set(test))


@given(ROWS)
def test_a_copy_knows_its_original(rows):
    copies, originals = copies_and_originals(keys_of(array(rows), 3, 2))
    expected = [(i, rows.index(row)) for i, row in enumerate(rows) if rows.index(row) < i]
    assert list(zip(copies.tolist(), originals.tolist(), strict=True)) == expected


@given(ROWS, ROWS, SIZES)
def test_the_first_copy_of_all_stays(train, test, sizes):
    triples = {"train": array(train), "test": array(test)}
    left = drop_copies(triples, keys_by_split(triples, *sizes))
    first = list(dict.fromkeys(train))
    later = [row for row in dict.fromkeys(test) if row not in first]
    assert [tuple(row) for row in left["train"].tolist()] == first
    assert [tuple(row) for row in left["test"].tolist()] == later
