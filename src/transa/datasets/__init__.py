"""Graphs by name: the registry, downloads with checksums, the embedded one."""

from transa.datasets.catalogue import DatasetInfo, available, info
from transa.datasets.folders import is_local
from transa.datasets.loading import labelled_frame, load, load_labelled
from transa.graph.vocabulary import UNKNOWN

__all__ = [
    "UNKNOWN",
    "DatasetInfo",
    "available",
    "info",
    "is_local",
    "labelled_frame",
    "load",
    "load_labelled",
]
