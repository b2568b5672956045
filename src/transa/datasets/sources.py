"""A graph from whatever names one: a data set, a file, a folder, or a graph already."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from transa import datasets
from transa.datasets.endpoint import is_endpoint, read_endpoint
from transa.declarations import suggestion
from transa.errors import ConfigError, InputError, UnknownNameError
from transa.files.paths import exists, path_of
from transa.graph import Graph
from transa.graph.building.reading import read


def load_graph(
    source: Graph | str | Path,
    *,
    seed: int = 0,
    **options: Any,  # noqa: ANN401 (passed on)
) -> Graph:
    """The graph that `source` names.

    A bare word that names a data set is that data set, even where a folder is called the same:
    write ``./wn18`` for the folder.

    Args:
        source: a graph, the name of a data set, a path, or the address of a SPARQL endpoint
            (``sparql+https://...``).
        seed: what a single file of triples is split with; all else is split already.
        **options: how to read files; see `transa.read`.

    Example:
        >>> load_graph("countries").name
        'countries'
    """
    if not isinstance(source, Graph | str | Path):
        raise InputError(
            f"expected a graph, the name of a data set or a path, found a {type(source).__name__}; "
            "transa.from_frame, from_ids, from_labels, from_networkx and from_igraph make graphs "
            "of what is in memory"
        )
    is_name = isinstance(source, str) and source in _names()
    if options and (is_name or isinstance(source, Graph)):
        raise ConfigError(f"{', '.join(options)}: for files; {source!r} is read already")
    if isinstance(source, Graph):
        return source
    if is_name:
        return datasets.load(str(source))
    unknown = options.keys() - inspect.signature(read).parameters.keys()
    if unknown:
        raise ConfigError(f"read has no option {', '.join(sorted(unknown))}; see transa.read")
    if is_endpoint(source):
        return read_endpoint(str(source), seed=seed, **options)
    if exists(path_of(source)):
        return read(source, seed=seed, **options)
    hint = suggestion(str(source), _names())
    raise UnknownNameError(
        f"no file or folder {str(source)!r:.200}, nor a data set of that name; {hint}"
    )


def _names() -> list[str]:
    return [entry.name for entry in datasets.available()]
