"""DuckDB and SQLite as sources; the files are made by these libraries themselves."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import duckdb
import pytest

import transa
from transa.errors import ConfigError, InputError
from transa.graph.readers import database
from transa.graph.readers.options import FileOptions
from transa.graph.readers.streaming import parts_of

ROWS = [(1, "knows", "b"), (2, "knows", "c"), (3, "likes", "a")]


def made(kind: str, path: Path, *statements: str) -> Path:
    connection = duckdb.connect(str(path)) if kind == "duckdb" else sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


@pytest.fixture(params=["duckdb", "sqlite"])
def kind(request):
    return request.param


@pytest.fixture
def facts(kind, tmp_path):
    values = ", ".join(map(str, ROWS))
    return made(
        kind,
        tmp_path / "facts.db",
        "CREATE TABLE facts (person INTEGER, since DOUBLE PRECISION, verb TEXT, friend TEXT)",
        f"INSERT INTO facts (person, verb, friend) VALUES {values}",
        "CREATE TABLE other (x INTEGER)",
    )


def labelled(graph: transa.Graph) -> set[tuple[str, str, str]]:
    return {
        (graph.entities.label(h), graph.relations.label(r), graph.entities.label(t))
        for h, r, t in graph.train
    }


def test_a_query(facts, kind):
    query = "SELECT person AS head, verb AS relation, friend AS tail FROM facts WHERE person > 1"
    graph = transa.read(facts, query=query, split=None)
    assert labelled(graph) == {("2", "knows", "c"), ("3", "likes", "a")}
    assert str(graph.report).split(": ")[1].startswith("DuckDB" if kind == "duckdb" else "SQLite")
    turned = transa.read(facts, query=query, columns=(2, 1, 0), split=None)
    assert labelled(turned) != labelled(graph)


def test_the_name_of_a_table(facts):
    graph = transa.read(facts, query="facts", columns=("person", "verb", "friend"), split=None)
    assert labelled(graph) == {(str(head), *rest) for head, *rest in ROWS}


def test_the_only_table_needs_no_name(kind, tmp_path):
    path = made(
        kind,
        tmp_path / "x.db",
        'CREATE TABLE "a ""b" (s TEXT, p TEXT, o INTEGER)',
        "INSERT INTO \"a \"\"b\" VALUES ('a', 'r', 1)",
    )
    assert labelled(transa.read(path, split=None)) == {("a", "r", "1")}


def test_which_table_is_meant(facts):
    with pytest.raises(InputError, match=r"has the tables facts, other; --query"):
        transa.read(facts)
    with pytest.raises(InputError, match=r"has the tables facts, other; --query"):
        transa.read(facts, query="nosuch")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELEC 1", "says: "),
        ("SELECT person, verb FROM facts", "the query: found the columns 'person', 'verb'"),
        ("SELECT person, since, friend FROM facts", "column 'since' is empty"),
        ("SELECT person, person + 0.5, friend FROM facts", "labels are strings or whole numbers"),
        ("SELECT person, verb, friend FROM facts WHERE person > 9", "gives no rows"),
        ("DELETE FROM facts", "says: "),
        ("CREATE TABLE more (x INTEGER)", "says: "),
    ],
)
def test_what_is_wrong_is_told(facts, query, words):
    with pytest.raises(InputError, match=words):
        transa.read(facts, query=query)
    assert labelled(
        transa.read(facts, query="facts", columns=("person", "verb", "friend"), split=None)
    )


def test_a_query_reads_no_other_file(tmp_path):
    path = made("duckdb", tmp_path / "x.db", "CREATE TABLE facts (h TEXT, r TEXT, t TEXT)")
    secret = tmp_path / "secret.csv"
    secret.write_text("h,r,t\na,b,c\n")
    for other in (str(secret), "https://example.org/x.csv"):
        with pytest.raises(InputError, match="says: "):
            transa.read(path, query=f"SELECT * FROM read_csv('{other}')")


def test_a_file_that_is_damaged(kind, facts):
    content = facts.read_bytes()
    facts.write_bytes(content[:100] + b"\xff" * (len(content) - 100))
    with pytest.raises(InputError, match="says: "):
        transa.read(facts, query="SELECT * FROM facts")


def test_many_rows_come_in_parts(facts, monkeypatch):
    monkeypatch.setattr(database, "_AT_A_TIME", 2)
    told = FileOptions(query="SELECT person, verb, friend FROM facts")
    parts = [part() for part in parts_of(facts, told)]
    assert [len(part) for part in parts] == [2, 1]
    graph = transa.read(facts, query=told.query, split=None)
    assert labelled(graph) == {(str(head), *rest) for head, *rest in ROWS}


@pytest.mark.parametrize(
    ("option", "whose"),
    [({"query": "facts"}, "data bases"), ({"graphs": ["g"]}, "RDF"), ({"language": "de"}, "RDF")],
)
def test_options_are_refused_of_other_files(tmp_path, option, whose):
    path = tmp_path / "x.tsv"
    path.write_text("a\tr\tb\n")
    with pytest.raises(ConfigError, match=f"{next(iter(option))} is for {whose}"):
        transa.read(path, **option)


@pytest.mark.parametrize("option", [{"query": 1}, {"graphs": "one"}, {"names_from": [1]}])
def test_options_that_are_no_text(tmp_path, option):
    with pytest.raises(ConfigError, match=r"is (a list of texts|text), found"):
        transa.read(tmp_path, **option)
