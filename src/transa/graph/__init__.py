"""Triples in: readers, vocabularies, splits, neighbourhoods."""

from transa.graph.graph import Graph, Triples, no_triples
from transa.graph.vocabulary import Vocabulary

__all__ = ["Graph", "Triples", "Vocabulary", "no_triples"]
