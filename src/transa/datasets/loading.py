"""A named graph, and its labelled triples, in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from transa.datasets.catalogue import CATALOGUE, info
from transa.datasets.folders import folder_of
from transa.errors import InputError
from transa.graph import Graph, Triples, Vocabulary
from transa.graph.readers.content import load as load_content
from transa.graph.readers.delimited import parse
from transa.graph.readers.dialect import Dialect
from transa.graph.reading import read

UNKNOWN = -1
"""Stands for an entity or relation that the vocabulary does not have."""

_LABELLED = Dialect(
    delimiter="\t",
    quoted=False,
    header=False,
    width=4,
    roles=("head", "relation", "tail", "label"),
    positions=(0, 1, 2, 3),
)


def load(name: str) -> Graph:
    """The graph of that name, as published: see `available` for the names.

    `countries` comes with the package. The others are looked up in the folder that `TRANSA_DATA`
    names, then in the cache (`TRANSA_CACHE`, or the user's), and are otherwise downloaded and
    checked. Repeated lines are kept, and so are entities that only valid or test have.

    Example:
        >>> graph = load("countries")
        >>> "France" in graph.entities
        True
    """
    return read(folder_of(name), unseen="keep", name=info(name).name)


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
    if not info(name).labelled_negatives:
        those = ", ".join(entry.name for entry in CATALOGUE if entry.labelled_negatives)
        raise InputError(f"{name} has no labelled negatives; these have: {those}")
    if split not in ("valid", "test"):
        raise InputError(f"no labelled split {split!r}; there are 'valid' and 'test'")
    path = folder_of(name) / f"{split}_labeled.txt.gz"
    frame = parse(load_content(path), _LABELLED, str(path))
    if graph is None:
        graph = load(name)
    columns = [
        _ids(frame["head"], graph.entities),
        _ids(frame["relation"], graph.relations),
        _ids(frame["tail"], graph.entities),
    ]
    return np.stack(columns, axis=1), _truth(frame["label"], path)


def _ids(labels: pl.Series, vocabulary: Vocabulary) -> NDArray[np.int32]:
    ids = np.arange(len(vocabulary), dtype=np.int32)
    numbered = pl.DataFrame({"label": vocabulary.labels, "id": ids})
    found = labels.to_frame("label").join(numbered, "label", how="left", maintain_order="left")
    return found["id"].fill_null(UNKNOWN).to_numpy()


def _truth(labels: pl.Series, path: Path) -> NDArray[np.bool_]:
    odd = labels.is_in(["1", "-1"]).not_().arg_true()
    if len(odd):
        found = labels[odd[0]]
        raise InputError(f"{path}, line {odd[0] + 1}: the label is {found!r}, expected 1 or -1")
    return (labels == "1").to_numpy()
