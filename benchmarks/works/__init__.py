"""One file a work: what is done, by whom, and the bar it is held against.

A work is a module with a TITLE, PEERS (whether peers take part) and ``points(peers, quick)``, which
yields a `Point` whenever one is measured.
"""

from __future__ import annotations

import importlib
from types import ModuleType

# In the order they run: what the project is judged by first.
NAMES = (
    "training",
    "ranking",
    "answering",
    "margins",
    "threads",
    "growth",
    "hubs",
    "scale",
    "startup",
    "memory",
    "reading",
    "serving",
    "time_to_quality",
    "neighbours",
    "update",
    "partitions",
)


def load(name: str) -> ModuleType:
    """The work of that name."""
    return importlib.import_module(f"benchmarks.works.{name}")
