from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transa import read
from transa.errors import InputError
from transa.graph.readers.delimited import parse, read_delimited
from transa.graph.readers.dialect import Dialect
from transa.graph.readers.options import FileOptions
from transa.graph.readers.scan import check, records


def rows(text: str, **told: object) -> list[tuple[str, ...]]:
    return read_delimited(Path("x"), text.encode(), FileOptions(**told)).frame.rows()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blank_lines_are_skipped_wherever_they_are(end):
    text = "\n\na\tr\tb\n\nc\tr\td\n\n\n".replace("\n", end)
    assert rows(text) == [("a", "r", "b"), ("c", "r", "d")]


def test_a_quote_in_the_middle_of_a_field_is_a_quote():
    text = 'a,fits,5" disk\nb,fits,3" disk\nc,fits,8" disk\n'
    assert rows(text)[2] == ("c", "fits", '8" disk')


def test_words_that_other_tools_take_for_nothing_are_labels():
    assert rows("NA\tnull\tNone\n") == [("NA", "null", "None")]


def test_columns_that_are_not_wanted_may_be_empty():
    text = "head,weight,relation,tail\na,,r,b\nc,0.5,r,d\n"
    assert rows(text) == [("a", "r", "b"), ("c", "r", "d")]


def test_wide_files_without_header_by_position():
    assert rows("1 a b r\n2 c d r\n", columns=(1, 3, 2)) == [("a", "r", "b"), ("c", "r", "d")]


def test_the_place_of_a_row_is_its_line(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text('h,r,t\n\na,r,b\n"two\nlines",r,c\nd,r,e\n')
    table = read_delimited(path, path.read_bytes(), FileOptions())
    assert [table.place(row) for row in range(3)] == ["line 3", "line 4", "line 6"]


# Quotes and delimiters in every wrong place, and sometimes in a right one.
SCRAWL = st.lists(
    st.one_of(st.text('ab"\n,', min_size=4, max_size=12), st.just("a,b,c")), min_size=1, max_size=3
).map("\n".join)


@settings(max_examples=500)
@given(SCRAWL)
def test_the_fast_reading_is_the_slow_one(text):
    dialect = Dialect(",", True, False, 3, ("head", "relation", "tail"), (0, 1, 2))
    data = text.encode()
    try:
        check(data, dialect, "x")
    except InputError:
        with pytest.raises(InputError, match="x, line"):
            parse(data, dialect, "x")
    else:
        expected = [tuple(fields) for _, fields in records(data, dialect, "x")]
        assert parse(data, dialect, "x").rows() == expected


@pytest.mark.parametrize(
    "text",
    ["a, r, b\nb, r ,  c\n", "head, relation, tail\na, r, b\nb, r, c \n", "a, r, b\r\nb, r, c"],
)
def test_a_space_after_every_comma_is_no_part_of_labels(tmp_path, text):
    path = tmp_path / "graph.csv"
    path.write_text(text)
    graph = read(path, split=None)
    assert graph.entities.labels.to_list() == ["a", "b", "c"]
    assert graph.relations.labels.to_list() == ["r"]


def test_a_field_of_spaces_is_empty(tmp_path):
    path = tmp_path / "graph.csv"
    path.write_text("a, r, b\nb,  , c\n")
    with pytest.raises(InputError, match=r"line 2: the relation \(column 2\) is empty"):
        read(path)


@pytest.mark.parametrize(
    ("text", "told"), [("b\tr\t a\n", None), ("b,r, a\n", None), ("b, r, a\n", "comma")]
)
def test_other_spaces_are(tmp_path, text, told):
    path = tmp_path / "graph.txt"
    path.write_text(text)
    assert read(path, delimiter=told, split=None).entities.labels.to_list() == [" a", "b"]
