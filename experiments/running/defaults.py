"""TransA by its fixed defaults: `transa train GRAPH --model transa --loss logistic`."""

from __future__ import annotations

from transa import datasets
from transa.settings.config import Settings, make_settings, suited


def default_settings(graph: str) -> Settings:
    """The defaults for a graph, whose size decides on the dimensions.

    The sizes of data sets are known without reading them, so that a report can tell which records
    are of the present defaults. A graph that is none has the dimensions of a large one.
    """
    sizes = {entry.name: (entry.entities, entry.train) for entry in datasets.available()}
    settings = make_settings("transa")
    return suited(settings, *sizes[graph]) if graph in sizes else settings
