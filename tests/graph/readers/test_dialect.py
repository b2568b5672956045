from __future__ import annotations

import pytest

from transa.errors import InputError
from transa.graph.readers.dialect import find_dialect
from transa.graph.readers.options import FileOptions


def dialect(text: str, **told: object):
    return find_dialect(text.encode(), FileOptions(**told), "x")


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("New York\tcity in\tUnited States\n", "\t"),
        ("a, b\tr\tc, d\n", "\t"),
        ("New York,city in,United States\n", ","),
        ('"Smith, John",knows,Mary Ann Lee\n', ","),
        ("a r b\n", " "),
        ('"New York" in "United States"\n', " "),
        # One bad line does not decide.
        ("New York City\tin\n" + "a\tr\tb\n" * 3, "\t"),
    ],
)
def test_the_delimiter_is_found(text, delimiter):
    assert dialect(text).delimiter == delimiter


@pytest.mark.parametrize(("word", "character"), [("tab", "\t"), ("comma", ","), ("space", " ")])
def test_the_delimiter_can_be_told_by_name(word, character):
    assert dialect(f"a{character}b{character}c\n", delimiter=word).delimiter == character


def test_quotes_belong_to_the_label_where_tabs_separate():
    assert not dialect("a\tr\tb\n").quoted
    assert dialect("a,r,b\n").quoted
    assert dialect("a\tr\tb\n", quote=True).quoted
    assert not dialect("a,r,b\n", quote=False).quoted


def test_the_header_is_found_or_told():
    assert dialect("subject,object,predicate\na,b,r\n").header
    assert dialect("subject,object,predicate\na,b,r\n").positions == (0, 2, 1)
    assert not dialect("paris,in,france\n").header
    assert dialect("x,y,z\na,r,b\n", header=True).header
    assert not dialect("h,r,t\na,r,b\n", header=False).header
    assert dialect("x,y,z\na,r,b\n", columns=("z", "y", "x")).header


def test_a_line_longer_than_the_sample():
    long = "x" * 200_000
    assert dialect(f"{long}\tr\tb\na\tr\tb\n").delimiter == "\t"


def test_it_prints_as_people_say_it():
    assert str(dialect("h,r,t\na,r,b\n")) == "comma-separated text with a header"
    assert str(dialect("a;r;b\n")) == "semicolon-separated text"
    assert str(dialect("a|r|b\n", delimiter="|")) == "'|'-separated text"


def test_a_field_beyond_all_measure_is_refused():
    with pytest.raises(InputError, match="x, line 1: found a field without end"):
        dialect("x" * 200_000 + ",r,b\n", delimiter="comma")
