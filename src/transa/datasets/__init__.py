"""Graphs by name: the registry, downloads with checksums, the embedded one."""
