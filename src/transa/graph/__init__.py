"""Triples in: readers, vocabularies, splits, neighbourhoods."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from transa.graph.graph import Graph, Triples, no_triples
from transa.graph.vocabulary import Vocabulary

if TYPE_CHECKING:
    from transa.graph.building.converting import from_frame, from_ids, from_labels
    from transa.graph.building.reading import read
    from transa.graph.building.report import ReadReport, SharedTriples, SourceReport

__all__ = [
    "Graph",
    "ReadReport",
    "SharedTriples",
    "SourceReport",
    "Triples",
    "Vocabulary",
    "from_frame",
    "from_ids",
    "from_labels",
    "no_triples",
    "read",
]

# Loaded when first asked for: a model that is loaded has its graph, and reads no files of triples.
_HOMES = {
    "ReadReport": "report",
    "SharedTriples": "report",
    "SourceReport": "report",
    "from_frame": "converting",
    "from_ids": "converting",
    "from_labels": "converting",
    "read": "reading",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(importlib.import_module(f"transa.graph.building.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'transa.graph' has no attribute {name!r}")
