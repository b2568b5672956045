from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transa.errors import InputError
from transa.graph.readers.columns import find_columns, is_usual_header

USUAL = [
    ("head", "relation", "tail"),
    ("h", "r", "t"),
    ("subject", "predicate", "object"),
    ("Source", "Type", "Target"),
    ("?s", "?p", "?o"),
    (":START_ID", ":TYPE", ":END_ID"),
    ("from", "rel", "to"),
]


@pytest.mark.parametrize("names", USUAL)
def test_usual_names_are_found_in_any_order_among_others(names):
    for order in permutations((*names, "weight")):
        assert is_usual_header(order)
        expected = tuple(order.index(name) for name in names)
        assert find_columns(order, 4, None, "x") == expected


@pytest.mark.parametrize(
    "fields", [("paris", "in", "france"), ("head", "in", "tail"), ("h", "s", "t"), ("head",)]
)
def test_things_are_no_header(fields):
    assert not is_usual_header(fields)


@given(st.permutations(["head", "relation", "tail"]))
def test_the_three_words_describe_columns_from_left_to_right(order):
    expected = tuple(order.index(role) for role in ("head", "relation", "tail"))
    assert find_columns(None, 3, order, "x") == expected
    assert find_columns(["a", "b", "c"], 3, order, "x") == expected


@given(st.permutations(["head", "relation", "tail"]))
def test_the_three_words_mean_the_header_where_it_has_them(header):
    expected = tuple(header.index(role) for role in ("head", "relation", "tail"))
    assert find_columns(header, 3, ("tail", "head", "relation"), "x") == expected


def test_names_and_positions_come_as_head_relation_tail():
    assert find_columns(["how", "who", "whom"], 3, ("who", "how", "whom"), "x") == (1, 0, 2)
    assert find_columns(None, 5, (4, 0, 2), "x") == (4, 0, 2)


def test_three_columns_without_usual_names_keep_their_order():
    assert find_columns(["who", "how", "whom"], 3, None, "x") == (0, 1, 2)


def test_a_name_that_two_columns_bear_is_refused():
    with pytest.raises(InputError, match="several columns 'who'"):
        find_columns(["who", "how", "whom", "who"], 4, ("who", "how", "whom"), "x")
