"""A search over models and their settings: which model for this graph, and how trained."""

from transa.searching.result import SearchResult
from transa.searching.searching import search

__all__ = ["SearchResult", "search"]
