from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transa.graph.readers.options import FileOptions
from transa.graph.readers.rdf import read_rdf

TURTLE = """@prefix e: <http://e/> .
e:a e:r e:b , [ e:q e:c ] ; e:label "Ä \\"quoted\\""@en .
_:named e:r _:other.
"""


def table(tmp_path, text: str, syntax: str = "turtle", **told: object):
    return read_rdf(tmp_path / "x.ttl", text.encode(), syntax, FileOptions(**told))


def test_terms_become_labels(tmp_path):
    assert set(table(tmp_path, TURTLE).frame.rows()) == {
        ("http://e/a", "http://e/r", "http://e/b"),
        ("http://e/a", "http://e/r", "_:x.ttl#1"),
        ("_:x.ttl#1", "http://e/q", "http://e/c"),
        ("http://e/a", "http://e/label", '"Ä \\"quoted\\""@en'),
        ("_:named", "http://e/r", "_:other"),
    }


def test_two_readings_give_the_same_labels(tmp_path):
    first, second = (table(tmp_path, TURTLE).frame.rows() for _ in range(2))
    assert first == second


def test_literals_can_be_left_out(tmp_path):
    kept = table(tmp_path, TURTLE, literals="drop")
    assert len(kept.frame) == 4
    assert kept.literals_dropped == 1
    assert kept.place(3) == "statement 5"


# What an IRI may be written with, as it stands.
IRIS = st.text(st.sampled_from("abcäß日/:#?=-_.%"), min_size=1, max_size=10)


@given(rows=st.lists(st.tuples(IRIS, IRIS, IRIS), min_size=1, max_size=10))
def test_ntriples_come_back(tmp_path_factory, rows):
    text = "".join(f"<{head}> <{relation}> <{tail}> .\n" for head, relation, tail in rows)
    folder = tmp_path_factory.getbasetemp()
    assert table(folder, text, "ntriples").frame.rows() == rows
    assert table(folder, text, "ntriples").place(0) == "statement 1"
