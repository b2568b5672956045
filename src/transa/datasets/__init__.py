"""Graphs by name: the registry, downloads with checksums, the embedded one."""

from transa.datasets.catalogue import DatasetInfo, available, info
from transa.datasets.folders import is_local
from transa.datasets.loading import UNKNOWN, load, load_labelled

__all__ = ["UNKNOWN", "DatasetInfo", "available", "info", "is_local", "load", "load_labelled"]
