from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from transa.graph.building.duplicates import (
    copies_and_originals,
    count_repeats,
    count_shared,
    drop_copies,
    keys_by_split,
)

ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 2)), max_size=20)


def array(rows: list[tuple[int, int, int]]) -> np.ndarray:
    return np.array(rows, dtype=np.int32).reshape(-1, 3)


@given(ROWS, ROWS)
def test_counts_are_those_of_python(train, test):
    keys = keys_by_split({"train": array(train), "test": array(test)})
    assert count_repeats(keys["train"]) == sum(n - 1 for n in Counter(train).values())
    assert count_shared(keys["train"], keys["test"]) == len(set(train) & set(test))


@given(ROWS)
def test_a_copy_knows_its_original(rows):
    copies, originals = copies_and_originals(keys_by_split({"train": array(rows)})["train"])
    expected = [(i, rows.index(row)) for i, row in enumerate(rows) if rows.index(row) < i]
    assert list(zip(copies.tolist(), originals.tolist(), strict=True)) == expected


@given(ROWS, ROWS)
def test_the_first_copy_of_all_stays(train, test):
    triples = {"train": array(train), "test": array(test)}
    left = drop_copies(triples, keys_by_split(triples))
    first = list(dict.fromkeys(train))
    later = [row for row in dict.fromkeys(test) if row not in first]
    assert [tuple(row) for row in left["train"].tolist()] == first
    assert [tuple(row) for row in left["test"].tolist()] == later
