"""Triples in: readers, vocabularies, splits, neighbourhoods."""

from transa.graph.converting import from_frame, from_ids, from_labels
from transa.graph.graph import Graph, Triples, no_triples
from transa.graph.reading import read
from transa.graph.report import ReadReport, SharedTriples, SourceReport
from transa.graph.vocabulary import Vocabulary

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
