from __future__ import annotations

import bz2
import gzip
import lzma
import sys
from pathlib import Path

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

import transa
from transa.errors import ConfigError, InputError
from transa.graph.readers.options import FileOptions
from transa.graph.readers.rdf.reading import rdf_parts, read_rdf
from transa.graph.readers.rdf.values import value_of

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TURTLE = """@prefix e: <http://e/> .
e:a e:r e:b , [ e:q e:c ] ; e:label "Ä \\"quoted\\""@en .
_:named e:r _:other.
"""
QUADS = [
    ("http://e/vienna", "http://e/capitalOf", "http://e/austria", "http://g/one"),
    ("http://e/graz", "http://e/in", "http://e/austria", "http://g/two"),
    ("http://e/linz", "http://e/in", "http://e/austria", None),
]
FORMATS = {
    "nt": ox.RdfFormat.N_TRIPLES,
    "nq": ox.RdfFormat.N_QUADS,
    "ttl": ox.RdfFormat.TURTLE,
    "trig": ox.RdfFormat.TRIG,
    "rdf": ox.RdfFormat.RDF_XML,
    "jsonld": ox.RdfFormat.JSON_LD,
}
COMPRESS = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": zstd.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}
PREFIXES = """@prefix e: <http://e/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
"""


def table(tmp_path, text: str, syntax: str = "turtle", **told: object):
    return read_rdf(tmp_path / "x.ttl", text.encode(), syntax, FileOptions(**told))


def graph_of(tmp_path: Path, text: str, **told: object) -> transa.Graph:
    path = tmp_path / "x.ttl"
    path.write_text(PREFIXES + text, encoding="utf-8")
    return transa.read(path, split=None, **told)


def labelled(graph: transa.Graph, split: str = "train") -> set[tuple[str, str, str]]:
    return {
        (graph.entities.label(h), graph.relations.label(r), graph.entities.label(t))
        for h, r, t in graph.split(split)
    }


def written(form: str) -> bytes:
    """The same facts, as pyoxigraph writes them."""
    quads = [
        ox.Quad(*map(ox.NamedNode, terms), ox.NamedNode(graph) if graph else ox.DefaultGraph())
        for *terms, graph in QUADS
    ]
    if not FORMATS[form].supports_datasets:
        return ox.serialize([quad.triple for quad in quads], format=FORMATS[form])
    return ox.serialize(quads, format=FORMATS[form])


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


def test_a_blank_node_named_as_the_parser_names_them_keeps_its_name(tmp_path):
    name = "c7d61d66c84b6f961deb2c0059bccadd"
    rows = table(tmp_path, f"_:{name} <http://e/r> [] .").frame.rows()
    assert rows == [(f"_:{name}", "http://e/r", "_:x.ttl#1")]
    xml = (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">'
        f'<rdf:Description rdf:nodeID="{name}"><e:r rdf:resource="http://e/b"/></rdf:Description>'
        "</rdf:RDF>"
    )
    assert table(tmp_path, xml, "rdfxml").frame["head"].to_list() == [f"_:{name}"]


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


@pytest.mark.parametrize("compression", COMPRESS)
@pytest.mark.parametrize("form", FORMATS)
def test_every_syntax_in_every_compression(tmp_path, form, compression):
    path = tmp_path / f"x.{form}{compression}"
    path.write_bytes(COMPRESS[compression](written(form)))
    expected = {tuple(terms) for *terms, _ in QUADS}
    assert labelled(transa.read(path, split=None)) == expected
    # Larger than memory, it is read in parts.
    kind = {"nt": "ntriples", "nq": "nquads", "ttl": "turtle", "rdf": "rdfxml"}.get(form, form)
    parts = list(rdf_parts(path, kind, FileOptions(), rows=2))
    assert [len(part) for part in parts] == [2, 1]
    assert {row for part in parts for row in part.rows()} == expected


@pytest.mark.parametrize("form", FORMATS)
def test_the_syntax_shows_in_the_content(tmp_path, form):
    path = tmp_path / "x.txt"
    start = b"" if form not in ("ttl", "trig") else b"@prefix e: <http://e/> .\n"
    path.write_bytes(start + written(form))
    named = {"nq": "N-Quads", "trig": "TriG", "jsonld": "JSON-LD"}
    report = transa.read(path, split=None).report
    assert report.sources[0].format.startswith(named.get(form, FORMATS[form].name))


@pytest.mark.parametrize("form", ["nq", "trig", "jsonld"])
def test_named_graphs_can_be_chosen(tmp_path, form):
    path = tmp_path / f"x.{form}"
    path.write_bytes(written(form))

    def heads(*graphs: str) -> set[str]:
        return {head for head, _, _ in labelled(transa.read(path, split=None, graphs=graphs))}

    assert heads("http://g/one") == {"http://e/vienna"}
    assert heads("http://g/two", "default") == {"http://e/graz", "http://e/linz"}
    chosen = transa.read(path, split=None, graphs=["http://g/one"]).report.sources[0]
    assert "1 of its 3 graphs" in chosen.format
    with pytest.raises(InputError, match=r"nothing in the graph nosuch; it has the graphs http"):
        heads("nosuch")
    (part,) = rdf_parts(
        path, "nquads" if form == "nq" else form, FileOptions(graphs=["default"]), 9
    )
    assert part["head"].to_list() == ["http://e/linz"]


NAMES = """
e:vienna rdfs:label "Vienna"@en, "Wien"@de, "Vienne"@fr ; skos:prefLabel "Wien (Stadt)"@de-AT .
e:graz rdfs:label "Graz" ; e:in e:austria . e:vienna e:in e:austria . e:linz e:in e:austria ;
  e:nick "Lenz" . e:in rdfs:label "liegt in"@de .
"""


@pytest.mark.parametrize(
    ("language", "vienna"),
    [("de", "Wien"), ("de-at,fr", "Wien (Stadt)"), ("it,fr", "Vienne"), ("it", "Vienna")],
)
def test_names_come_in_the_language_asked_for(tmp_path, language, vienna):
    graph = graph_of(tmp_path, NAMES, language=language)
    assert graph.entities.display(graph.entities.id("http://e/vienna")) == vienna
    assert graph.entities.display(graph.entities.id("http://e/graz")) == "Graz"
    assert graph.entities.display(graph.entities.id("http://e/linz")) == "http://e/linz"
    assert graph.relations.display(graph.relations.id("http://e/in")) == "liegt in"
    # What names is no fact.
    assert {relation for _, relation, _ in labelled(graph)} == {"http://e/in", "http://e/nick"}
    assert "6 more give names" in str(graph.report)


@pytest.mark.parametrize(
    ("locale", "vienna"),
    [("de_AT.UTF-8", "Wien (Stadt)"), ("fr_FR@euro", "Vienne"), ("C", "Vienna")],
)
def test_the_language_is_the_systems_unless_told(tmp_path, monkeypatch, locale, vienna):
    monkeypatch.setenv("LC_ALL", locale)
    graph = graph_of(tmp_path, NAMES)
    assert graph.entities.display(graph.entities.id("http://e/vienna")) == vienna


def test_no_locale_at_all(tmp_path, monkeypatch):
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(variable, raising=False)
    graph = graph_of(tmp_path, NAMES)
    assert graph.entities.display(graph.entities.id("http://e/vienna")) == "Vienna"


def test_other_literals_can_be_the_names(tmp_path):
    graph = graph_of(tmp_path, NAMES, names_from=["http://e/nick"], literals="drop")
    assert graph.entities.display(graph.entities.id("http://e/linz")) == "Lenz"
    assert graph.entities.display(graph.entities.id("http://e/graz")) == "http://e/graz"


def test_numbers_and_dates_go_into_bins(tmp_path):
    facts = "".join(
        f'e:x{i} e:size {i} ; e:born "{1900 + i}-06-01"^^xsd:date ; e:note "no {i}" ; e:ok true .\n'
        for i in range(100)
    )
    graph = graph_of(tmp_path, facts, literals="bin", bins=4)
    sizes = {tail for _, relation, tail in labelled(graph) if relation == "http://e/size"}
    assert sizes == {f"http://e/size={low}..{low + 24}" for low in (0, 25, 50, 75)}
    assert graph.index is not None
    tails = [tail for _, relation, tail in labelled(graph) if relation == "http://e/born"]
    assert {tails.count(tail) for tail in tails} == {25}
    first = graph.entities.id("http://e/born=1900-06-01..1924-06-01")
    assert graph.entities.display(first) == "born 1900-06-01 to 1924-06-01"
    assert not any(relation == "http://e/note" for _, relation, _ in labelled(graph))
    assert '"true"^^<http://www.w3.org/2001/XMLSchema#boolean>' in graph.entities
    assert "100 more with a literal (dropped)" in str(graph.report)


def test_the_bins_are_those_of_train(tmp_path):
    for name, values in {"train": range(10), "test": (-5, 3, 99)}.items():
        lines = "".join(f"e:x{i} e:size {value} .\n" for i, value in enumerate(values))
        (tmp_path / f"{name}.ttl").write_text(PREFIXES + lines)
    graph = transa.read(tmp_path, literals="bin", bins=2, unseen="keep")
    assert [tail for _, _, tail in sorted(labelled(graph, "test"))] == [
        "http://e/size=0..4",
        "http://e/size=0..4",
        "http://e/size=5..9",
    ]


def test_equal_values_share_a_bin(tmp_path):
    facts = "".join(f"e:x{i} e:size {7 if i < 50 else i} .\n" for i in range(60))
    tails = [tail for _, _, tail in labelled(graph_of(tmp_path, facts, literals="bin", bins=3))]
    assert tails.count("http://e/size=7..7") == 50 or tails.count("http://e/size=7..59") == 60


@pytest.mark.parametrize(
    ("text", "datatype", "comes_before"),
    [
        ("9", "integer", "10"),
        ("-1.5e3", "double", "0"),
        ("1999-12-31", "date", "2000-01-01"),
        ("-0044", "gYear", "0033"),
        ("2000-01-01T01:00:00.5Z", "dateTime", "2000-01-01T01:00:01Z"),
        ("2000-01", "gYearMonth", "2000-02"),
    ],
)
def test_values_have_an_order(text, datatype, comes_before):
    xsd = "http://www.w3.org/2001/XMLSchema#"
    assert value_of(text, xsd + datatype) < value_of(comes_before, xsd + datatype)


@pytest.mark.parametrize(
    ("text", "datatype"), [("NaN", "double"), ("x", "integer"), ("soon", "date"), ("5", "string")]
)
def test_what_has_no_order_is_no_value(text, datatype):
    assert value_of(text, f"http://www.w3.org/2001/XMLSchema#{datatype}") is None


@pytest.mark.parametrize("bins", [1, 10_001, "ten", True])
def test_a_number_of_bins_that_makes_no_sense(tmp_path, bins):
    with pytest.raises(ConfigError, match="bins is from 2 to 10,000"):
        graph_of(tmp_path, "e:a e:size 5 .", literals="bin", bins=bins)


def test_inverses_and_types_are_reported(tmp_path):
    graph = graph_of(
        tmp_path,
        "e:parent owl:inverseOf e:child . e:knows a owl:SymmetricProperty .\n"
        "e:ann e:parent e:bob ; e:knows e:cid ; a e:Person . e:bob e:child e:ann .",
    )
    (source,) = graph.report.sources
    assert source.inverses == (
        ("http://e/parent", "http://e/child"),
        ("http://e/knows", "http://e/knows"),
    )
    told = str(graph.report)
    assert "2 of them say what type a thing is" in told
    assert "2 declared inverse or symmetric: http://e/parent and http://e/child, http://e/k" in told


def test_statements_about_statements_are_no_facts(tmp_path):
    graph = graph_of(
        tmp_path, "e:a e:r e:b {| e:sure 0.9 |} . << e:c e:r e:d >> e:sure 0.2 . e:c e:r e:b ."
    )
    assert labelled(graph) == {
        ("http://e/a", "http://e/r", "http://e/b"),
        ("http://e/c", "http://e/r", "http://e/b"),
    }
    assert "4 more are about statements (dropped)" in str(graph.report)


def xml_with(entity: str) -> str:
    return (
        f'<?xml version="1.0"?><!DOCTYPE rdf:RDF [<!ENTITY lol "lol">{entity}]>\n'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">'
        '<rdf:Description rdf:about="http://e/a"><e:r>&lol;</e:r></rdf:Description></rdf:RDF>'
    )


def test_xml_that_swells_is_refused(tmp_path):
    assert table(tmp_path, xml_with(""), "rdfxml").frame["tail"].to_list() == ['"lol"']
    for bomb in ('<!ENTITY b "&lol;&lol;">', f'<!ENTITY b "{"x" * 2000}">'):
        with pytest.raises(InputError, match="XML entities made of other entities"):
            table(tmp_path, xml_with(bomb), "rdfxml")


def test_a_context_on_the_web_is_not_fetched(tmp_path):
    text = '{"@context": "https://schema.org/", "@id": "e:a", "name": "x"}'
    with pytest.raises(InputError, match="its @context is on the web, and is not fetched"):
        table(tmp_path, text, "jsonld")


@pytest.mark.parametrize(("syntax", "text"), [("jsonld", '{"@id":'), ("rdfxml", "<rdf:RDF><a")])
def test_what_is_broken_is_told(tmp_path, syntax, text):
    with pytest.raises(InputError, match=r"not (JSON-LD|RDF/XML): .*--format"):
        table(tmp_path, text, syntax)


def test_labels_beyond_measure(tmp_path):
    long = "x" * (1 << 20) + "y"
    with pytest.raises(InputError, match="found a literal longer than 1,048,576 characters"):
        table(tmp_path, f'<a> <r> "{long}" .', "ntriples")
    assert len(table(tmp_path, f'<a> <r> "{long}", <b> .', literals="drop").frame) == 1
    with pytest.raises(InputError, match="found an IRI longer than"):
        table(tmp_path, f"@prefix e: <http://e/{long}/> . e:a e:b e:c .")


def test_bins_are_refused_where_a_file_is_read_in_parts(tmp_path):
    path = tmp_path / "x.ttl"
    path.write_text("<a> <r> 5 .")
    with pytest.raises(ConfigError, match="in bins when all of them are in memory"):
        list(rdf_parts(path, "turtle", FileOptions(literals="bin"), 9))
