"""A named graph, and its labelled triples, in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from transa.datasets.catalogue import CATALOGUE, info
from transa.datasets.folders import folder_of
from transa.errors import InputError
from transa.graph import Graph, Triples
from transa.graph.building.reading import read
from transa.graph.readers.content import load as load_content
from transa.graph.readers.delimited import parse
from transa.graph.readers.dialect import only_tabs

_LABELLED = only_tabs("head", "relation", "tail", "label")


def load(name: str) -> Graph:
    """The graph of that name, as published: see `available` for the names.

    `countries` comes with the package. The others are looked up in the folder that `TRANSA_DATA`
    names, then in the cache (`TRANSA_CACHE`, or the user's), and are otherwise downloaded and
    checked. Repeated lines are kept, and so are entities that only valid or test have.

    Raises:
        InputError: if the folder holds another number of triples than was published.

    Example:
        >>> graph = load("countries")
        >>> "France" in graph.entities
        True
    """
    expected, folder = info(name), folder_of(name)
    graph = read(folder, unseen="keep", name=expected.name)
    for what in ("train", "valid", "test"):
        found, published = len(graph.split(what)), getattr(expected, what)
        if found != published:
            raise InputError(
                f"{folder}: {found:,} {what} triples, but {name} as published has {published:,}; "
                f"fetch it again, or read this folder by its path: {folder}/"
            )
    return graph


def load_labelled(
    name: str, split: str, *, graph: Graph | None = None
) -> tuple[Triples, NDArray[np.bool_]]:
    """True and false triples for triple classification, in their published order.

    Args:
        name: A data set with labelled negatives.
        split: 'valid' or 'test'.
        graph: Whose vocabularies number the triples; `load(name)` by default.

    Returns:
        The triples, shape (n, 3), and whether each is true. Where the vocabulary does not have an
        entity, its id is `UNKNOWN` (-1): some of wn11's false triples have entities that none of
        its true ones has.
    """
    frame = labelled_frame(name, split)
    if graph is None:
        graph = load(name)
    columns = [
        graph.entities.find(frame["head"]),
        graph.relations.find(frame["relation"]),
        graph.entities.find(frame["tail"]),
    ]
    return np.stack(columns, axis=1), frame["label"].to_numpy()


def labelled_frame(name: str, split: str) -> pl.DataFrame:
    """The same as labels: the columns head, relation and tail, and whether it is true, label."""
    if not info(name).labelled_negatives:
        those = ", ".join(entry.name for entry in CATALOGUE if entry.labelled_negatives)
        raise InputError(f"{name} has no labelled negatives; these have: {those}")
    if split not in ("valid", "test"):
        raise InputError(f"no labelled split {split!r}; there are 'valid' and 'test'")
    path = folder_of(name) / f"{split}_labeled.txt.gz"
    frame = parse(load_content(path), _LABELLED, str(path)).cast(pl.String)
    return frame.with_columns(label=_truth(frame["label"], path))


def _truth(labels: pl.Series, path: Path) -> pl.Series:
    odd = labels.is_in(["1", "-1"]).not_().arg_true()
    if len(odd):
        found = labels[odd[0]]
        raise InputError(f"{path}, line {odd[0] + 1}: the label is {found!r}, expected 1 or -1")
    return labels == "1"
