"""NetworkX and igraph: a graph whose edges say of what kind they are comes in as triples.

Nothing of either library is imported: what they are asked for, a graph of theirs has.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from transa.errors import InputError
from transa.files.forks import before_polars
from transa.graph import Graph
from transa.graph.building.assembling import DEFAULT_SPLIT, Choices, graph_from_tables
from transa.graph.readers.frame import frame_table

if TYPE_CHECKING:
    from transa.graph.building.assembling import Duplicates

_USUAL = ("relation", "predicate", "rel", "type", "rel_type", "relationship", "label", "key")
_NAMES = ("name", "title", "label")
ONLY = "edge"
"""The relation of a graph whose edges do not say what they are."""

_Edge = tuple[Hashable, Hashable, Mapping[str, Any]]


def from_networkx(
    graph: Any,  # noqa: ANN401 (of a library that need not be there)
    *,
    relation: str | None = None,
    names: str | None = None,
    split: Sequence[float] | None = DEFAULT_SPLIT,
    seed: int = 0,
    duplicates: Duplicates = "keep",
    name: str | None = None,
) -> Graph:
    """A graph of NetworkX's: a `DiGraph` or `MultiDiGraph`; an undirected edge is one fact.

    Args:
        graph: its nodes are labelled by their text.
        relation: the attribute of edges that is their relation. By default the first usual one that
            all edges have (relation, predicate, type, label ...), else the keys of a multigraph if
            they are texts; where there is nothing of the kind there is one relation, ``edge``.
        names: the attribute of nodes that people call them by; by default name, title or label.
        split: the shares of train, valid and test; None leaves all in train.
        seed: what the split is drawn with.
        duplicates: "keep" copies of a triple, or "drop" all but the first.
        name: what the graph is called; by default what NetworkX calls it.

    Raises:
        InputError: if it is no graph of NetworkX, has no edges, or an edge lacks the attribute.
    """
    if not hasattr(graph, "is_multigraph") or not hasattr(graph, "edges"):
        raise InputError(f"expected a graph of NetworkX, found a {type(graph).__name__}")
    if graph.is_multigraph():
        edges: list[_Edge] = [
            (head, tail, {**({"key": key} if isinstance(key, str) else {}), **data})
            for head, tail, key, data in graph.edges(keys=True, data=True)
        ]
    else:
        edges = list(graph.edges(data=True))
    nodes = dict(graph.nodes(data=True))
    return _graph(
        edges,
        {node: str(node) for node in nodes},
        lambda attribute: {
            node: data[attribute] for node, data in nodes.items() if attribute in data
        },
        (relation, names),
        Choices(split, seed, duplicates),
        name or getattr(graph, "name", "") or "graph",
        f"NetworkX {type(graph).__name__}",
    )


def from_igraph(
    graph: Any,  # noqa: ANN401
    *,
    relation: str | None = None,
    names: str | None = None,
    split: Sequence[float] | None = DEFAULT_SPLIT,
    seed: int = 0,
    duplicates: Duplicates = "keep",
    name: str | None = None,
) -> Graph:
    """A graph of igraph's; vertices are labelled by their ``name``, else by their number.

    The arguments are those of `from_networkx`.
    """
    if not hasattr(graph, "vs") or not hasattr(graph, "es"):
        raise InputError(f"expected a graph of igraph, found a {type(graph).__name__}")
    labelled = "name" in graph.vs.attributes()
    labels = {v.index: str(v["name"]) if labelled else str(v.index) for v in graph.vs}
    known = set(graph.vs.attributes())

    def called(attribute: str) -> dict[Hashable, Any]:
        if attribute not in known or (labelled and attribute == "name" and names is None):
            return {}
        return dict(enumerate(graph.vs[attribute]))

    return _graph(
        [(edge.source, edge.target, edge.attributes()) for edge in graph.es],
        labels,
        called,
        (relation, names),
        Choices(split, seed, duplicates),
        name or "graph",
        f"igraph, {'directed' if graph.is_directed() else 'undirected'}",
    )


def _graph(
    edges: Sequence[_Edge],
    labels: Mapping[Hashable, str],
    called: Callable[[str], Mapping[Hashable, Any]],
    attributes: tuple[str | None, str | None],
    choices: Choices,
    name: str,
    kind: str,
) -> Graph:
    before_polars()
    if not edges:
        raise InputError(f"{kind}: the graph has no edges; expected triples")
    if len(set(labels.values())) < len(labels):
        seen: set[str] = set()
        twice = next(text for text in labels.values() if text in seen or seen.add(text))  # type: ignore[func-returns-value]
        raise InputError(f"{kind}: two nodes are {twice!r} as text; give them labels of their own")
    relation, of_nodes = attributes
    attribute = _attribute(edges, relation, kind)
    kinds = [ONLY if attribute is None else str(data[attribute]) for _, _, data in edges]
    frame = pl.DataFrame(
        {
            "head": [labels[head] for head, _, _ in edges],
            "relation": kinds,
            "tail": [labels[tail] for _, tail, _ in edges],
        }
    )
    told = f"{kind}, {f'{attribute!r} of edges as relation' if attribute else 'one relation'}"
    table = replace(
        frame_table(frame, None, kind), format=told, names=_names(labels, called, of_nodes, kind)
    )
    return graph_from_tables({"train": table}, choices, name)


def _attribute(edges: Iterable[_Edge], told: str | None, kind: str) -> str | None:
    """The attribute of edges that is their relation; None if none is."""
    common: dict[str, None] | None = None
    for _, _, data in edges:
        there = {name for name, value in data.items() if value not in (None, "")}
        common = dict.fromkeys(data) if common is None else common
        common = {name: None for name in common if name in there}
    assert common is not None  # noqa: S101 (there are edges)
    if told is not None and told not in common:
        listed = ", ".join(map(str, common)) or "nothing"
        raise InputError(
            f"{kind}: not every edge has the attribute {told!r} (relation=...); all have {listed}"
        )
    return told or next((name for name in _USUAL if name in common), None)


def _names(
    labels: Mapping[Hashable, str],
    called: Callable[[str], Mapping[Hashable, Any]],
    told: str | None,
    kind: str,
) -> pl.DataFrame | None:
    for attribute in [told] if told is not None else _NAMES:
        found = {node: text for node, text in called(attribute).items() if text not in (None, "")}
        if found:
            names = {"label": [labels[n] for n in found], "name": [str(t) for t in found.values()]}
            return pl.DataFrame(names)
    if told is not None:
        raise InputError(f"{kind}: no node has the attribute {told!r} (names=...)")
    return None
