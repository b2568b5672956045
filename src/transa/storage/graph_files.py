"""The graph of a model folder: two vocabularies and the triples, in Parquet."""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import polars as pl

from transa.errors import StoreError
from transa.files.damage import damage_told
from transa.files.memory import check_memory
from transa.files.schema import Natural, open_regular
from transa.graph import Graph, Vocabulary
from transa.graph.known import SPLITS
from transa.graph.readers.parquet_bounds import decoded_size
from transa.prepared.graph import PreparedGraph
from transa.prepared.record import is_prepared, link_graph

ENTITIES, RELATIONS, TRIPLES = "entities.parquet", "relations.parquet", "triples.parquet"
PREPARED = "graph"
"""The folder in a model folder that has a prepared graph, in the place of these files."""

_IDS = ("head", "relation", "tail")
# As they are decoded, and the ids of a triple once more.
_BYTES_PER_ROW = 64

T = TypeVar("T")


@dataclass(frozen=True)
class Counts:
    """What ``config.json`` tells of a graph."""

    name: str
    entities: Natural
    relations: Natural
    train: Natural
    valid: Natural
    test: Natural

    @classmethod
    def of(cls, graph: Graph) -> Counts:
        """Of a graph at hand."""
        splits = {split: graph.n_triples(split) for split in SPLITS}
        return cls(graph.name, graph.n_entities, graph.n_relations, **splits)


def write_graph(folder: Path, graph: Graph) -> None:
    """Write the three files; a prepared graph is linked to, or copied."""
    if isinstance(graph, PreparedGraph):
        link_graph(graph.folder, folder / PREPARED)
        return
    _vocabulary_frame(graph.entities).write_parquet(folder / ENTITIES)
    _vocabulary_frame(graph.relations).write_parquet(folder / RELATIONS)
    _triples_frame(graph).write_parquet(folder / TRIPLES)


def read_graph(folder: Path, told: Counts) -> Graph:
    """Read the three files back, if they hold as much as is told.

    Raises:
        StoreError, InputError, TooLargeError: if they do not, or not what they should.
    """
    if is_prepared(folder / PREPARED):
        graph: Graph = PreparedGraph(folder / PREPARED)
        if Counts.of(graph) != told:
            raise StoreError(f"{PREPARED}: another graph than config.json tells of")
        return graph
    frame = _frame(folder / TRIPLES, told.train + told.valid + told.test, (*_IDS, "split"))
    if not all(frame.schema[name].is_integer() for name in _IDS):
        raise StoreError(f"{TRIPLES}: ids are whole numbers")
    with damage_told(f"{TRIPLES} is damaged", "train again"):
        splits = frame["split"].cast(pl.Enum(SPLITS)).to_physical()
        triples = frame.select(_IDS).cast(pl.Int32).to_numpy()
    if frame.null_count().sum_horizontal().item() or not splits.is_sorted():
        raise StoreError(f"{TRIPLES}: every triple is of train, valid or test, in this order")
    # As they were written, one split after the other.
    train, valid, test = np.split(triples, np.searchsorted(splits.to_numpy(), (1, 2)))
    graph = Graph(
        train=train,
        valid=valid,
        test=test,
        entities=_read_vocabulary("entity", folder / ENTITIES, told.entities),
        relations=_read_vocabulary("relation", folder / RELATIONS, told.relations),
        name=told.name,
    )
    if Counts.of(graph) != told:
        raise StoreError(f"{TRIPLES}: the splits are not as large as config.json tells")
    return graph


def _vocabulary_frame(vocabulary: Vocabulary) -> pl.DataFrame:
    named = [] if vocabulary.names is None else [vocabulary.names]
    return pl.DataFrame([vocabulary.labels, *named])


def _read_vocabulary(kind: str, path: Path, rows: int) -> Vocabulary:
    frame = _frame(path, rows, ("label",), ("name",))
    if any(of not in (pl.String, pl.Categorical, pl.Enum) for of in frame.dtypes):
        raise StoreError(f"{path.name}: labels and names are text")
    return Vocabulary(kind, frame["label"], frame["name"] if "name" in frame.columns else None)


def _triples_frame(graph: Graph) -> pl.DataFrame:
    sizes = [len(graph.split(split)) for split in SPLITS]
    splits = pl.Series("split", np.repeat(SPLITS, sizes), dtype=pl.Enum(SPLITS))
    head, relation, tail = graph.known.T
    return pl.DataFrame({"head": head, "relation": relation, "tail": tail, "split": splits})


def _frame(
    path: Path, rows: int, needed: tuple[str, ...], also: tuple[str, ...] = ()
) -> pl.DataFrame:
    """Some columns of a file that has so many rows, once they are known to fit into memory."""
    with damage_told(f"{path.name} is damaged", "train again"):
        schema: Mapping[str, object] = pl.read_parquet_schema(path)
        found: int = pl.scan_parquet(path).select(pl.len()).collect().item()
        wanted = [name for name in (*needed, *also) if name in schema]
        with (
            open_regular(path) as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            # Whose slices are bytes.
            size = decoded_size(data, wanted)  # type: ignore[arg-type]
    if not {*needed} <= {*wanted}:
        raise StoreError(f"{path.name} has no column {min({*needed} - {*wanted})}")
    if found != rows:
        raise StoreError(f"{path.name} has {found:,} rows, where config.json tells of {rows:,}")
    check_memory(size + rows * _BYTES_PER_ROW, f"reading {path.name}", "take a larger machine")
    with damage_told(f"{path.name} is damaged", "train again"):
        return pl.read_parquet(path, columns=wanted)


def by_id(by_label: Mapping[str, T], relations: Vocabulary, where: str) -> dict[int, T]:
    """What a file tells of relations, which it names by their labels, by their ids."""
    found = {relations.id(label): each for label, each in by_label.items()}
    if [*map(relations.label, found)] != [*by_label]:
        # Names will not do: with them a relation could be told of twice.
        raise StoreError(f"{where}: relations are told by their labels")
    return found
