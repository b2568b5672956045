"""Nearest neighbours in large vocabularies: an index in place of a look at every vector."""
