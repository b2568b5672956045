"""Search by what people type."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transa import Vocabulary
from transa.serving.views.names import NameIndex, folded


def index(*labels: str, names=None, counts=None) -> NameIndex:
    counts = np.ones(len(labels), int) if counts is None else np.array(counts)
    return NameIndex(Vocabulary("entity", labels, names), counts)


def labels(found) -> list[str]:
    return [hit.label for hit in found]


def test_better_kinds_of_match_come_first():
    found = index("New Germany", "ungermane", "Germany", "German", "germany's").search("german", 9)
    assert labels(found)[0] == "German"
    assert set(labels(found)[1:3]) == {"Germany", "germany's"}
    assert labels(found)[3:] == ["New Germany", "ungermane"]


def test_among_equals_those_with_most_facts():
    found = index("aa 1", "aa 2", "aa 3", counts=[1, 7, 3]).search("aa", 2)
    assert labels(found) == ["aa 2", "aa 3"]


def test_nothing_typed_gives_those_with_most_facts():
    assert labels(index("x", "y", counts=[1, 2]).search("", 1)) == ["y"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Grmany", "Germany"),
        ("ZURICH", "Zürich"),
        ("people person", "/people/person/nationality"),
        ("nationality", "/people/person/nationality"),
        ("北京", "北京市"),
        ("قاهر", "القاهرة"),
        ("+", "+"),
    ],
)
def test_what_is_meant(typed, meant):
    everything = ("Germany", "Zürich", "/people/person/nationality", "北京市", "القاهرة", "+")
    assert labels(index(*everything).search(typed))[0] == meant


def test_by_name_and_by_label():
    both = index("/m/1", "/m/2", names=["Paris", None])
    assert labels(both.search("par")) == labels(both.search("m 1")) == ["/m/1"]
    assert both.search("m 2")[0].name == "/m/2"
    assert (both.find("/m/1"), both.find("Paris"), both.find("Rome")) == (0, 0, None)


def test_a_name_that_two_bear_is_of_neither():
    assert index("a", "b", names=["Paris", "Paris"]).find("Paris") is None


def test_what_is_like_nothing():
    assert index("abc").search("zzzzzz") == []
    assert index("abc").alike("") == []
    assert index().search("a") == []


def test_a_large_vocabulary_is_compared_in_part(monkeypatch):
    from transa.serving.views import names

    monkeypatch.setattr(names, "_MOST_COMPARED", 50)
    monkeypatch.setattr(names, "_MOST_SCANNED", 5)
    many = index(*(f"town {i:04}" for i in range(500)))
    assert len(many.search("own", 10)) == 10
    assert labels(many.search("tonw 0007")) != []


@given(st.text(min_size=1))
def test_whatever_is_called_so_is_found_by_its_own_name(label):
    assert label in labels(index(label, "another").search(label)) or not folded(label)


@given(st.text(), st.lists(st.text(min_size=1), unique=True, max_size=6))
def test_whatever_is_typed_is_borne(typed, known):
    found = index(*known).search(typed, 3)
    assert len(found) <= 3
    assert len(set(labels(found))) == len(found)
