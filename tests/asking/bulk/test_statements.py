"""Answers as RDF: read back by pyoxigraph, and asked for with SPARQL."""

from __future__ import annotations

import polars as pl
import pyoxigraph as ox
import pytest

import transa
from transa.asking.bulk.statements import statements, term

FRAME = pl.DataFrame(
    {
        "question": [0, 0, 1],
        "head": ["http://e/a", "_:b1", "Vienna"],
        "relation": ["http://e/r", "http://e/r", "capital of"],
        "tail": ["http://e/b", '"5"^^<http://www.w3.org/2001/XMLSchema#integer>', "Österreich <>"],
        "rank": [1, 2, 1],
        "score": [-0.5, -1.25, -3.0],
        "probability": [0.9, None, 0.25],
    }
)
QUERY = {
    "ttl": """SELECT ?s ?p ?o ?c ?k { ?x rdf:reifies <<( ?s ?p ?o )>> ; t:score ?k ; t:rank ?n
        OPTIONAL { ?x t:confidence ?c } }""",
    "nt": """SELECT ?s ?p ?o ?c ?k { ?x a rdf:Statement ; rdf:subject ?s ; rdf:predicate ?p ;
        rdf:object ?o ; t:score ?k ; t:rank ?n OPTIONAL { ?x t:confidence ?c } }""",
}
PREFIXES = "PREFIX t: <urn:transa:> PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>\n"


def loaded(content: bytes, form: str) -> list[tuple[str | float | None, ...]]:
    store = ox.Store()
    store.load(content, format=ox.RdfFormat.TURTLE if form == "ttl" else ox.RdfFormat.N_TRIPLES)
    rows = store.query(PREFIXES + QUERY[form])
    return sorted(
        (
            *(row[part].value for part in "spo"),
            None if row["c"] is None else float(row["c"].value),
            float(row["k"].value),
        )
        for row in rows
    )


@pytest.mark.parametrize("form", ["ttl", "nt"])
def test_they_are_what_was_written(form):
    content = statements(FRAME[:2], form) + statements(FRAME[2:], form, is_first=False)
    assert loaded(content, form) == [
        ("http://e/a", "http://e/r", "http://e/b", 0.9, -0.5),
        (
            "urn:transa:entity:Vienna",
            "urn:transa:relation:capital%20of",
            "urn:transa:entity:%C3%96sterreich%20%3C%3E",
            0.25,
            -3.0,
        ),
        ("urn:transa:entity:_%3Ab1", "http://e/r", "5", None, -1.25),
    ]
    # Told of, not told: a triple that is expected is no fact.
    store = ox.Store()
    store.load(content, format=ox.RdfFormat.TURTLE if form == "ttl" else ox.RdfFormat.N_TRIPLES)
    assert not store.query("ASK { <http://e/a> <http://e/r> <http://e/b> }")


@pytest.mark.parametrize("label", ['"open', '"a" b', '"x"@', "http://e/a b", "http://e/<x>", "a\\"])
def test_what_only_looks_like_a_term_is_a_plain_label(label):
    assert term(label, is_object=True).startswith("<urn:transa:entity:")
    line = f"<a:a> <a:b> {term(label, is_object=True)} ."
    assert len(list(ox.parse(input=line, format=ox.RdfFormat.N_TRIPLES))) == 1


def test_a_literal_is_no_subject():
    assert term('"5"') == "<urn:transa:entity:%225%22>"
    assert term('"5"', is_object=True) == '"5"'


@pytest.fixture
def folder(tmp_path):
    rows = [(f"http://e/{i}", "http://e/next", f"http://e/{i + 1}") for i in range(30)]
    graph = transa.from_labels(rows, seed=1)
    transa.TransE(dim=4, epochs=2, threads=1).fit(graph).save(tmp_path / "model")
    return tmp_path / "model"


@pytest.mark.parametrize("form", ["ttl", "nt"])
def test_from_the_command_line(folder, tmp_path, call_in_process, form):
    from transa.cli.app import run

    command = call_in_process(run)
    questions = tmp_path / "questions.tsv"
    questions.write_text("http://e/3\thttp://e/next\t?\n?\thttp://e/next\thttp://e/4\n")
    out, found = tmp_path / f"answers.{form}", tmp_path / f"found.{form}"
    command("predict", folder, "--file", questions, "-k", 3, "--out", out)
    table = transa.load(folder).predict(
        pl.DataFrame({"head": ["http://e/3"], "relation": ["http://e/next"], "tail": [None]}), k=3
    )
    rows = loaded(out.read_bytes(), form)
    assert len(rows) == 6
    assert {tail for head, _, tail, *_ in rows if head == "http://e/3"} >= set(table["tail"])
    printed = command("predict", folder, "--file", questions, "-k", 3, "--to", form).out
    assert loaded(printed.encode(), form) == rows
    command("discover", folder, "--top", 5, "--out", found)
    expected = transa.load(folder).discover(top=5)
    assert [row[:3] for row in loaded(found.read_bytes(), form)] == sorted(
        (each.head, each.relation, each.tail) for each in expected
    )
