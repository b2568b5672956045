"""Endpoints, asked over HTTP: a real one on this machine, of which nothing is mocked."""

from __future__ import annotations

import re
from base64 import b64encode

import pyoxigraph as ox
import pytest

import transa
from tests.datasets.sparql_server import serving
from transa.cli.app import run
from transa.datasets import pages
from transa.errors import ConfigError, DownloadError, InputError
from transa.graph.readers.options import FileOptions
from transa.prepared.source import source_of

FACTS = "".join(
    f"<http://e/{i:02}> <http://e/next> <http://e/{i + 1:02}> ; <http://e/age> {i} .\n"
    for i in range(20)
)
NAMES = '<http://e/05> <http://www.w3.org/2000/01/rdf-schema#label> "cinq"@fr, "five"@en .\n'


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.setenv("TRANSA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(pages, "_WAITS", (0.0, 0.0))
    store = ox.Store()
    store.load(FACTS.encode() + NAMES.encode(), format=ox.RdfFormat.TURTLE)
    store.load(
        b"<http://e/a> <http://e/in> <http://e/b> .",
        format=ox.RdfFormat.TURTLE,
        to_graph=ox.NamedNode("http://g/one"),
    )
    with serving(store) as running:
        yield running


def relations(graph: transa.Graph) -> dict[str, int]:
    labels = [graph.relations.label(i) for i in graph.known[:, 1]]
    return {label: labels.count(label) for label in labels}


def test_all_that_an_endpoint_has(server):
    graph = transa.load_graph(server.address, literals="drop", language="fr", split=None)
    assert relations(graph) == {"http://e/next": 20}
    assert graph.name == "127.0.0.1"
    assert graph.entities.display(graph.entities.id("http://e/05")) == "cinq"
    assert "SPARQL endpoint, 20 triples, 20 more with a literal (dropped)" in str(graph.report)
    assert server.headers[0]["User-Agent"] == f"transa/{transa.__version__}"


def test_pages_of_any_size_give_the_same(server, monkeypatch):
    whole = transa.load_graph(server.address, literals="bin", bins=4, seed=3)
    monkeypatch.setattr(pages, "ROWS", 7)
    paged = transa.load_graph(server.address, literals="bin", bins=4, seed=3)
    assert whole.train.tolist() == paged.train.tolist()
    assert whole.entities.labels.to_list() == paged.entities.labels.to_list()
    asked = [query for query in server.queries if "LIMIT 7" in query]
    assert [int(re.search(r"OFFSET (\d+)", query)[1]) for query in asked] == [*range(0, 42, 7), 42]
    # Nothing is left behind when all has come.
    assert not list(pages.cache_folder().rglob("*.json"))


def test_a_query(server):
    query = (
        "PREFIX e: <http://e/> # of ours\n"
        "SELECT ?s ?p (?x AS ?o) WHERE { ?s ?p ?x . ?s e:age ?age "
        "FILTER(?age < 5 && ?p = e:next) } LIMIT 3 # enough"
    )
    graph = transa.load_graph(server.address, query=query, split=None)
    assert relations(graph) == {"http://e/next": 3}


def test_variables_of_other_names(server):
    query = "SELECT ?what ?who ?whom { ?who ?what ?whom FILTER(isIRI(?whom)) }"
    graph = transa.load_graph(
        server.address, query=query, columns=("who", "what", "whom"), split=None
    )
    assert relations(graph) == {"http://e/next": 20}
    with pytest.raises(InputError, match=r"call three of them \?s \?p \?o, or name them in --col"):
        transa.load_graph(server.address, query=query)


def test_a_named_graph(server):
    graph = transa.load_graph(server.address, graphs=["http://g/one"], split=None)
    assert relations(graph) == {"http://e/in": 1}


def test_blank_nodes_are_left_out(server):
    server.store.load(b"<http://e/a> <http://e/in> [] .", format=ox.RdfFormat.TURTLE)
    report = str(transa.load_graph(server.address, split=None).report)
    assert "1 more with a blank node (dropped)" in report


def test_a_stopped_run_goes_on_where_it_was(server, monkeypatch):
    monkeypatch.setattr(pages, "ROWS", 10)
    # The third page fails, three times.
    server.faults = dict.fromkeys((4, 5, 6), (503, {"Retry-After": "0"}))
    words = r"the server answered 503 \(no luck today\); 20 rows are kept: the same command goes on"
    with pytest.raises(DownloadError, match=words):
        transa.load_graph(server.address)
    before = len(server.queries)
    graph = transa.load_graph(server.address, split=None)
    assert relations(graph) == {"http://e/next": 20, "http://e/age": 20}
    offsets = [
        int(found[1]) for q in server.queries[before:] if (found := re.search(r"OFFSET (\d+)", q))
    ]
    assert offsets == [20, 30, 40, 42]


def test_a_server_that_is_busy_for_a_moment(server):
    server.faults = {1: (429, {"Retry-After": "0"}), 3: (502, {})}
    assert len(transa.load_graph(server.address, split=None).train) == 40


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ((404, {}), r"the server answered 404 \(no luck today\)$"),
        ((302, {"Location": "http://example.org/x"}), r"sends on to http://example.org/x; if that"),
    ],
)
def test_an_answer_that_is_none(server, fault, words):
    server.faults = {1: fault}
    with pytest.raises(DownloadError, match=words):
        transa.load_graph(server.address)
    assert len(server.queries) == 1


def test_a_page_that_is_no_table(server):
    server.content = b"<html>welcome</html>"
    with pytest.raises(InputError, match="is that the address of the endpoint"):
        transa.load_graph(server.address)
    server.content = b'{"head": {}, "boolean": true}'
    with pytest.raises(InputError, match="the answer is yes or no, expected a table"):
        transa.load_graph(server.address)


def test_a_page_beyond_measure(server, monkeypatch):
    monkeypatch.setattr(pages, "_MOST_BYTES", 100)
    with pytest.raises(DownloadError, match="is larger than 100 bytes; ask for less in the query"):
        transa.load_graph(server.address)


def test_a_login_is_sent_and_not_told(server):
    address = server.address.replace("//", "//ann:se%20cret@")
    graph = transa.load_graph(address, split=None)
    token = b64encode(b"ann:se cret").decode()
    assert server.headers[0]["Authorization"] == f"Basic {token}"
    assert "cret" not in str(graph.report)
    server.faults = {len(server.queries) + 1: (401, {})}
    with pytest.raises(DownloadError) as caught:
        transa.load_graph(address)
    assert "cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("query", "error", "words"),
    [
        ("ASK { ?s ?p ?o }", ConfigError, "is a SELECT of three variables"),
        ("SELECT ?s ?p ?o { ?s ?p", DownloadError, "the server answered 400"),
        ("SELECT ?s ?p ?o { ?s ?p ?x }", InputError, "row 1: found .* None; expected two IRIs"),
        ("SELECT ?s ?p ?o { ?s ?p ?o FILTER(false) }", InputError, "usual|call three|no triples"),
        ("SELECT (5 AS ?s) ?p ?o { ?x ?p ?o }", InputError, "expected two IRIs"),
    ],
)
def test_a_query_that_gives_no_facts(server, query, error, words):
    with pytest.raises(error, match=words):
        transa.load_graph(server.address, query=query)


def test_options_that_are_for_files(server):
    with pytest.raises(ConfigError, match="delimiter: for files; an endpoint takes query"):
        transa.load_graph(server.address, delimiter="tab")
    with pytest.raises(ConfigError, match="an endpoint is read into memory"):
        source_of(server.address, FileOptions())


@pytest.mark.parametrize("address", ["sparql+ftp://x/y", "sparql+http://", "sparql+http://x:0x/"])
def test_an_address_that_is_none(address):
    with pytest.raises(DownloadError, match="the address of an endpoint is such as"):
        transa.load_graph(address)


def test_nobody_there(tmp_path, monkeypatch):
    monkeypatch.setenv("TRANSA_CACHE", str(tmp_path))
    monkeypatch.setattr(pages, "_WAITS", ())
    with pytest.raises(DownloadError, match="the connection failed or broke off"):
        transa.load_graph("sparql+http://127.0.0.1:9/sparql")


def test_a_cache_that_cannot_be_written(server, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TRANSA_CACHE", str(tmp_path / "file"))
    with pytest.raises(DownloadError, match="set TRANSA_CACHE"):
        transa.load_graph(server.address)


def test_from_the_command_line(server, call_in_process, tmp_path):
    command = call_in_process(run)
    options = ("--literals", "drop", "--epochs", 1, "--dim", 4, "--threads", 1)
    done = command("train", server.address, *options, "--out", tmp_path / "model")
    assert "/sparql: 42 rows" in done.err
    assert transa.load(tmp_path / "model").graph_.n_entities == 21
    found = command("inspect", server.address, "--literals", "drop", "--json").json
    assert found["entities"] == 21
