"""RDF by pyoxigraph: whatever the syntax, statements become facts, names and values."""
