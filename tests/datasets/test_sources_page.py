"""Every example of docs/sources.md as it stands, in its order; the endpoint is a real one."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pyoxigraph as ox
import pytest

import transa
from tests.datasets.sparql_server import serving
from transa.cli.app import run

PAGE = (Path(__file__).parents[2] / "docs" / "sources.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r'^```(\w+)(?: title="([^"]*)")?\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL)
ENDPOINT = "sparql+https://example.org/sparql"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """What pages take for granted: a file of triples, and a model of the countries."""
    monkeypatch.chdir(tmp_path)
    graph = transa.load_graph("countries")
    transa.TransE(dim=8, epochs=2, threads=1).fit(graph).save(tmp_path / "my-model")
    rows = [(f"p{i}", ("knows", "likes")[i % 2], f"p{i * 7 % 40}") for i in range(40)]
    (tmp_path / "facts.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    return tmp_path


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.setenv("TRANSA_CACHE", str(tmp_path / "cache"))
    store = ox.Store()
    for graph in (ox.DefaultGraph(), ox.NamedNode("http://example.org/graph/cities")):
        (turtle,) = [text for _, title, text in BLOCKS if title == "cities.ttl"]
        store.load(turtle.encode(), format=ox.RdfFormat.TURTLE, to_graph=graph)
    with serving(store) as running:
        yield running


def test_every_example(folder, server, call_in_process):
    ran = 0
    for language, title, text in BLOCKS:
        if "." in title:
            (folder / title).write_text(text, encoding="utf-8")
        elif language == "python":
            names: dict[str, object] = {}
            exec(text, names)
            assert isinstance(names.get("graph"), transa.Graph | None)
        for words in map(shlex.split, text.splitlines() if language == "bash" else ()):
            if words[0] == "transa":
                words = [word.replace(ENDPOINT, server.address) for word in words[1:]]
                done = call_in_process(run)(*words)
                assert done.code == 0, (words, done.err)
                ran += 1
    assert ran >= 14
    assert server.queries


def test_the_update_of_a_store_takes_over_what_is_sure_enough():
    (update,) = [text for _, _, text in BLOCKS if "INSERT {" in text]
    (turtle,) = [text for _, _, text in BLOCKS if text.startswith("<< ")]
    prefixes = (
        "@prefix transa: <urn:transa:> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
    )
    store = ox.Store()
    store.load((prefixes + turtle).encode(), format=ox.RdfFormat.TURTLE)
    fact = "ASK { <http://example.org/Graz> <http://example.org/in> <http://example.org/Austria> }"
    assert not store.query(fact)
    store.update(update)
    assert store.query(fact)
