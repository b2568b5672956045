"""Triples in: readers, vocabularies, splits, neighbourhoods."""

from transa.graph.graph import Graph, Triples
from transa.graph.vocabulary import Vocabulary

__all__ = ["Graph", "Triples", "Vocabulary"]
