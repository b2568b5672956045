"""Graphs of NetworkX and igraph as these libraries make them."""

from __future__ import annotations

import igraph
import networkx as nx
import pytest

import transa
from transa.errors import ConfigError, InputError


def labelled(graph: transa.Graph) -> list[tuple[str, str, str]]:
    return sorted(
        (graph.entities.label(h), graph.relations.label(r), graph.entities.label(t))
        for h, r, t in graph.train
    )


FACTS = [("Ann", "knows", "Bob"), ("Bob", "knows", "Cid"), ("Cid", "likes", "Ann")]


def test_a_digraph():
    made = nx.DiGraph(name="friends")
    made.add_edges_from((h, t, {"weight": 1, "type": r}) for h, r, t in FACTS)
    graph = transa.from_networkx(made, split=None)
    assert labelled(graph) == FACTS
    assert graph.name == "friends"
    assert "'type' of edges as relation" in str(graph.report)
    assert labelled(transa.from_networkx(made, relation="weight", split=None))[0][1] == "1"


def test_a_multidigraph_and_its_keys():
    made = nx.MultiDiGraph()
    made.add_edge(1, 2, key="knows")
    made.add_edge(1, 2, key="likes")
    assert labelled(transa.from_networkx(made, split=None)) == [
        ("1", "knows", "2"),
        ("1", "likes", "2"),
    ]
    # Keys that NetworkX numbers itself say nothing.
    plain = nx.MultiDiGraph([("a", "b"), ("a", "b")])
    assert labelled(transa.from_networkx(plain, split=None, duplicates="drop")) == [
        ("a", "edge", "b")
    ]


def test_names_of_nodes():
    made = nx.DiGraph()
    made.add_node("q1", label="Vienna", nick="W")
    made.add_edge("q1", "q2", relation="in")
    graph = transa.from_networkx(made, split=None)
    assert [graph.entities.display(i) for i in range(2)] == ["Vienna", "q2"]
    graph = transa.from_networkx(made, split=None, names="nick")
    assert graph.entities.display(0) == "W"
    with pytest.raises(InputError, match="no node has the attribute 'age'"):
        transa.from_networkx(made, names="age")


@pytest.mark.parametrize(
    ("made", "options", "words"),
    [
        (nx.DiGraph(), {}, "the graph has no edges"),
        (nx.DiGraph([(1, "1")]), {}, "two nodes are '1' as text"),
        (nx.DiGraph([(1, 2)]), {"relation": "type"}, "not every edge has the attribute 'type'"),
        ([(1, 2)], {}, "expected a graph of NetworkX, found a list"),
    ],
)
def test_what_is_wrong_is_told(made, options, words):
    with pytest.raises(InputError, match=words):
        transa.from_networkx(made, **options)


def test_igraph():
    made = igraph.Graph.TupleList(
        [(h, t, r) for h, r, t in FACTS], directed=True, edge_attrs=["relation"]
    )
    graph = transa.from_igraph(made, split=None)
    assert labelled(graph) == FACTS
    assert graph.entities.names is None
    assert "igraph, directed" in str(graph.report)
    made.vs["title"] = ["A", "B", "C"]
    graph = transa.from_igraph(made, split=None)
    assert graph.entities.display(graph.entities.id("Ann")) == "A"
    with pytest.raises(InputError, match="not every edge has the attribute 'weight'"):
        transa.from_igraph(made, relation="weight")
    with pytest.raises(InputError, match="expected a graph of igraph, found a DiGraph"):
        transa.from_igraph(nx.DiGraph())


def test_igraph_without_names():
    graph = transa.from_igraph(igraph.Graph([(0, 1), (1, 2)]), split=None)
    assert labelled(graph) == [("0", "edge", "1"), ("1", "edge", "2")]


def test_a_graph_given_as_a_source_is_told_where_to_go():
    with pytest.raises(InputError, match="from_networkx"):
        transa.load_graph(nx.DiGraph())


def test_columns_of_a_frame_one_by_one():
    import pandas as pd
    import polars as pl

    rows = {"since": [1, 2, 3], "who": ["Ann", "Bob", "Cid"], "verb": ["knows", "knows", "likes"]}
    rows["whom"] = ["Bob", "Cid", "Ann"]
    for make in (pl.DataFrame, pd.DataFrame):
        frame = make(rows)
        by_name = transa.from_frame(frame, head="who", relation="verb", tail="whom", split=None)
        by_place = transa.from_frame(frame, head=1, relation=2, tail=3, split=None)
        mixed = transa.from_frame(frame, head="who", relation=2, tail="whom", split=None)
        assert labelled(by_name) == labelled(by_place) == labelled(mixed) == FACTS
    # Those that have usual names need not be told.
    frame = pl.DataFrame(rows).rename({"verb": "predicate", "whom": "object"})
    assert labelled(transa.from_frame(frame, head="who", split=None)) == FACTS
    for names in (
        ("s", "p", "o"),
        ("source", "type", "target"),
        ("subject", "predicate", "object"),
    ):
        usual = pl.DataFrame(rows).rename(dict(zip(("who", "verb", "whom"), names, strict=True)))
        assert labelled(transa.from_frame(usual, split=None)) == FACTS


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"head": "nosuch"}, "no column 'nosuch'"),
        ({"head": 9}, "no column at position 9; expected 0 to 3 as head"),
        ({"head": "who"}, "relation=... says which is the relation"),
        ({"head": 1, "relation": 1, "tail": 2}, "head, relation and tail are three columns"),
    ],
)
def test_columns_that_are_not_there(columns, words):
    import polars as pl

    frame = pl.DataFrame({"since": [1], "who": ["a"], "verb": ["r"], "whom": ["b"]})
    with pytest.raises(InputError, match=words):
        transa.from_frame(frame, **columns)
    with pytest.raises(ConfigError, match="give either"):
        transa.from_frame(frame, columns=(0, 1, 2), **columns)
