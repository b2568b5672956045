from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transa.datasets import normalise

label = st.text(st.characters(exclude_characters="\t\r\n", codec="utf-8"), min_size=1)
triple = st.tuples(label, label, label)


def rows(triples, *more: str) -> list[bytes]:
    return ["\t".join((*triple, *more)).encode() for triple in triples]


@given(st.lists(triple))
def test_line_ends_do_not_matter(triples):
    published = rows(triples)
    expected = b"".join(row + b"\n" for row in published)
    for end in (b"\n", b"\r\n"):
        assert normalise.lines(end.join(published)) == expected
        assert normalise.lines(b"".join(row + end for row in published)) == expected


@given(st.lists(triple), st.lists(triple))
def test_labelling_and_taking_the_positives_gives_them_back(true, false):
    both = normalise.labelled(b"\n".join(rows(true)), b"\n".join(rows(false)))
    assert both.splitlines() == rows(true, "1") + rows(false, "-1")
    assert normalise.positives(both).splitlines() == rows(true)


@given(st.lists(triple))
def test_names_are_two_sorted_columns(table):
    found = normalise.names(b"\n".join(rows(table))).splitlines()
    assert found == sorted(row.rsplit(b"\t", 1)[0] for row in rows(table))


def test_only_names_of_present_entities_are_kept():
    table = b"c\tC\na\tA\nr\tR\nb\tB"
    assert normalise.names_of_present(table, b"a\tr\tx\r\n", b"y\tr\tc\n") == b"a\tA\nc\tC\n"


def test_relation_labels_are_those_of_the_relations_that_occur():
    table = b'{"P2": {"label": "capital"}, "P10": {"label": "c\xc3\xb4t\xc3\xa9"}, "P3": {}}'
    assert normalise.relation_labels(table.replace(b', "P3": {}', b""), b"a\tP10\tb\n") == (
        b"P10\tc\xc3\xb4t\xc3\xa9\n"
    )
    assert normalise.relation_labels(table, b"a\tP2\tb\n") == b""


@given(st.binary(), st.binary())
def test_any_bytes_are_accepted(one, other):
    for make in (normalise.lines, normalise.positives, normalise.names):
        assert isinstance(make(one), bytes)
    for make in (normalise.labelled, normalise.names_of_present, normalise.relation_labels):
        assert isinstance(make(one, other), bytes)
