"""Every example of docs/sources.md, run as it stands, on files that have its names."""

from __future__ import annotations

import gzip
import re
import shlex
import sqlite3
from pathlib import Path

import duckdb
import pyoxigraph as ox
import pytest

import transa
from tests.datasets.sparql_server import serving
from transa.cli.app import run

PAGE = (Path(__file__).parents[2] / "docs" / "sources.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    (transa .*)$", PAGE, re.MULTILINE)
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
ENDPOINT = "sparql+https://example.org/sparql"

PEOPLE = [(f"p{i}", ("knows", "likes")[i % 2], f"p{(i * 7 + 1) % 40}") for i in range(40)]
PREFIXES = "@prefix e: <http://example.org/> . @prefix f: <http://xmlns.com/foaf/0.1/> .\n"
TURTLE = PREFIXES + "".join(
    f"e:c{i} a e:City ; e:in e:c{i % 5} ; e:size {i} ; f:name 'City {i}' .\n" for i in range(40)
)
FACTS = "CREATE TABLE facts (person VARCHAR, since INTEGER, verb VARCHAR, friend VARCHAR)"
ROWS = ", ".join(f"('{h}', 1999, '{r}', '{t}')" for h, r, t in PEOPLE)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    text = "since,person,verb,friend\n" + "".join(f"1999,{h},{r},{t}\n" for h, r, t in PEOPLE)
    (folder / "facts.csv").write_text(text)
    (folder / "facts.csv.gz").write_bytes(gzip.compress(text.encode()))
    (folder / "cities.ttl").write_text(TURTLE)
    graph = ox.NamedNode("http://example.org/graph/cities")
    quads = [
        ox.Quad(quad.subject, quad.predicate, quad.object, graph)
        for quad in ox.parse(input=TURTLE, format=ox.RdfFormat.TURTLE)
    ]
    written = ox.serialize(quads, format=ox.RdfFormat.N_QUADS)
    (folder / "cities.nq.gz").write_bytes(gzip.compress(written))
    for connection in (
        duckdb.connect(str(folder / "facts.duckdb")),
        sqlite3.connect(folder / "facts.sqlite"),
    ):
        connection.execute(FACTS)
        connection.execute(f"INSERT INTO facts VALUES {ROWS}")
        connection.commit()
        connection.close()
    export = folder / "export"
    export.mkdir()
    (export / "people.csv").write_text(
        "id:ID(Person),name,title,:LABEL\n" + "".join(f"{i},n{i},t{i},X\n" for i in range(40))
    )
    (export / "acted_in.csv").write_text(
        ":START_ID(Person),:END_ID(Person),:TYPE\n"
        + "".join(f"{i},{i * 7 % 40},ACTED_IN\n" for i in range(40))
    )
    transa.TransE(dim=4, epochs=2, threads=1).fit(transa.from_labels(PEOPLE, seed=1)).save(
        folder / "my-model"
    )
    (folder / "questions.tsv").write_text("p1\tknows\t?\n")
    store = ox.Store()
    store.extend(quads)
    store.extend([ox.Quad(quad.subject, quad.predicate, quad.object) for quad in quads])
    with serving(store) as server:
        yield folder, server.address


@pytest.mark.parametrize("line", COMMANDS)
def test_commands(place, line, call_in_process, monkeypatch, tmp_path):
    folder, address = place
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TRANSA_CACHE", str(tmp_path))
    words = shlex.split(line.replace(ENDPOINT, address))[1:]
    if line.startswith("transa train facts.csv") and "--columns" not in line:
        # Of three columns, as the page says.
        words = ["train", "three.csv"]
        Path("three.csv").write_text("".join(f"{h},{r},{t}\n" for h, r, t in PEOPLE))
    if words[0] == "train":
        words += ["--epochs", "1", "--dim", "4", "--threads", "1", "--out", str(tmp_path / "out")]
    done = call_in_process(run)(*words)
    assert done.code == 0, done.err


@pytest.mark.parametrize("code", PYTHON)
def test_python(place, code, monkeypatch):
    monkeypatch.chdir(place[0])
    names: dict[str, object] = {}
    exec(code, names)
    assert isinstance(names["graph"], transa.Graph)


def test_the_page_has_examples_of_every_kind():
    assert len(COMMANDS) >= 18
    assert len(PYTHON) == 3


def test_the_update_of_a_store_takes_over_what_is_sure_enough():
    (update,) = re.findall(r"```sparql\n(.*?)```", PAGE, re.DOTALL)
    (turtle,) = re.findall(r"```turtle\n(.*?)```", PAGE, re.DOTALL)
    prefixes = (
        "@prefix transa: <urn:transa:> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
    )
    store = ox.Store()
    store.load((prefixes + turtle).encode(), format=ox.RdfFormat.TURTLE)
    fact = "ASK { <http://example.org/Graz> <http://example.org/in> <http://example.org/Austria> }"
    assert not store.query(fact)
    store.update(update)
    assert store.query(fact)
