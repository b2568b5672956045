"""Where a graph to be prepared comes from: files in parts, or a graph in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl

from transa.datasets import available
from transa.datasets.endpoint import is_endpoint
from transa.datasets.folders import folder_of
from transa.errors import ConfigError
from transa.graph import Graph
from transa.graph.building.files import find_files
from transa.graph.known import SPLITS
from transa.graph.readers.options import FileOptions
from transa.graph.readers.streaming import Part, parts_of


@dataclass(frozen=True)
class Source:
    """A graph as labels, part by part.

    Attributes:
        name: what the graph is called.
        parts: of each split that there is.
        entity_names: a file of names, if there is one.
        relation_names: the same for relations.
        fingerprint: what must be the same for work on it to go on.
    """

    name: str
    parts: Mapping[str, Callable[[], Iterator[Part]]]
    entity_names: Path | None
    relation_names: Path | None
    fingerprint: list[Any]


def source_of(source: Graph | str | Path, told: FileOptions) -> Source:
    """What is to be read of a file, a folder, a named data set or a graph in memory."""
    if isinstance(source, Graph):
        return _of_graph(source)
    if isinstance(source, str) and source in [entry.name for entry in available()]:
        source = folder_of(source)
    if is_endpoint(source):
        raise ConfigError("an endpoint is read into memory, not in partitions; save it to a file")
    files = find_files(source, None, None)
    paths = {
        split: [getattr(files, split)] for split in SPLITS if getattr(files, split) is not None
    }
    paths["train"] += files.more
    stats = [
        [str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns]
        for some in paths.values()
        for path in some
    ]
    return Source(
        files.name,
        {split: partial(_parts_of_all, some, told) for split, some in paths.items()},
        files.entity_names,
        files.relation_names,
        [stats, asdict(told)],
    )


def _parts_of_all(paths: list[Path], told: FileOptions) -> Iterator[Part]:
    return chain.from_iterable(parts_of(path, told) for path in paths)


def _of_graph(graph: Graph) -> Source:
    def parts(split: str) -> Iterator[Part]:
        yield lambda: _labels(graph, split)

    import hashlib

    digest = hashlib.sha256(graph.known.tobytes())
    digest.update("\n".join(graph.entities.labels).encode())
    splits = [split for split in SPLITS if len(graph.split(split))]
    # Nothing is held out of a graph that has been split already, were it with nothing held out.
    parts_by_split = {split: partial(parts, split) for split in dict.fromkeys([*splits, "valid"])}
    return Source(graph.name, parts_by_split, None, None, [digest.hexdigest()])


def _labels(graph: Graph, split: str) -> pl.DataFrame:
    h, r, t = graph.split(split).T
    entities, relations = graph.entities.labels, graph.relations.labels
    return pl.DataFrame(
        {"head": entities.gather(h), "relation": relations.gather(r), "tail": entities.gather(t)}
    )
