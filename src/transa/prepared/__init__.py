"""Graphs larger than memory: written once as partitions of entities and buckets of triples."""
