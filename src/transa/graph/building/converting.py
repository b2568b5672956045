"""Frames, Python triples and arrays of ids to a graph."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from transa.errors import ConfigError, InputError
from transa.files.forks import before_polars
from transa.files.memory import check_memory
from transa.graph.building.assembling import (
    DEFAULT_SPLIT,
    Choices,
    Duplicates,
    Unseen,
    graph_from_ids,
    graph_from_tables,
)
from transa.graph.building.report import SourceReport
from transa.graph.graph import Graph, as_triples, checked_triples
from transa.graph.readers.frame import Named, frame_table
from transa.graph.readers.options import Columns
from transa.graph.readers.table import ROLES, Table
from transa.graph.vocabulary import Vocabulary

if TYPE_CHECKING:
    from transa.graph.readers.frame import Frame

LabelRows: TypeAlias = Iterable[tuple[str, str, str]]

# Ids for each triple: beyond that a number was mistyped, or is no id.
_MOST_UNUSED = 1000
_MOST_LABELS = np.iinfo(np.int32).max
# As a number, as text, and while it is made sure that each occurs once.
_BYTES_PER_LABEL = 64


def from_frame(
    frame: Frame,
    valid: Frame | None = None,
    test: Frame | None = None,
    *,
    head: str | int | None = None,
    relation: str | int | None = None,
    tail: str | int | None = None,
    columns: Columns | None = None,
    split: Sequence[float] | None = DEFAULT_SPLIT,
    seed: int = 0,
    duplicates: Duplicates = "keep",
    unseen: Unseen = "error",
    name: str = "graph",
) -> Graph:
    """A graph from Polars or pandas frames of labels.

    Args:
        frame: All triples, or those of train if `valid` or `test` is given.
        valid: The validation triples.
        test: The test triples.
        head: Which column holds the heads, by name or by position from 0. Usual names (subject,
            predicate, object; source, type, target; s, p, o ...) are found by themselves, and three
            columns without such names are taken in their order.
        relation: The same of the relations.
        tail: The same of the tails.
        columns: All three at once, in the order head, relation, tail.
        split: As for `read`, and so are the other arguments.
        seed: What the split is drawn with.
        duplicates: "keep" copies of a triple, or "drop" all but the first.
        unseen: "error", "drop" or "keep" for labels that train does not have.
        name: What the graph is called.

    Example:
        >>> frame = pl.DataFrame({"who": ["a", "b"], "verb": "likes", "whom": ["b", "c"]})
        >>> from_frame(frame, head="who", relation="verb", tail="whom", split=None).n_entities
        3
    """
    before_polars()
    named = Named(head, relation, tail)
    if named and columns is not None:
        raise ConfigError("columns says what head, relation and tail say one by one; give either")
    frames = {"train": frame, "valid": valid, "test": test}
    tables = {
        part: frame_table(each, columns, f"{part} frame", named=named)
        for part, each in frames.items()
        if each is not None or part == "train"
    }
    return graph_from_tables(tables, Choices(split, seed, duplicates, unseen), name)


def from_labels(
    triples: LabelRows,
    valid: LabelRows | None = None,
    test: LabelRows | None = None,
    *,
    split: Sequence[float] | None = DEFAULT_SPLIT,
    seed: int = 0,
    duplicates: Duplicates = "keep",
    unseen: Unseen = "error",
    name: str = "graph",
) -> Graph:
    """A graph from (head, relation, tail) labels; the arguments are those of `from_frame`.

    Example:
        >>> from_labels([("Paris", "capital of", "France")], split=None)
        Graph('graph': 2 entities, 1 relations, 1 train / 0 valid / 0 test)
    """
    return from_frame(
        _label_frame(triples, "train"),
        None if valid is None else _label_frame(valid, "valid"),
        None if test is None else _label_frame(test, "test"),
        split=split,
        seed=seed,
        duplicates=duplicates,
        unseen=unseen,
        name=name,
    )


def from_ids(
    train: ArrayLike,
    valid: ArrayLike | None = None,
    test: ArrayLike | None = None,
    *,
    n_entities: int | None = None,
    n_relations: int | None = None,
    entities: Sequence[str] | None = None,
    relations: Sequence[str] | None = None,
    split: Sequence[float] | None = DEFAULT_SPLIT,
    seed: int = 0,
    duplicates: Duplicates = "keep",
    name: str = "graph",
) -> Graph:
    """A graph from arrays of ids, of shape (n, 3): head, relation, tail.

    Args:
        train: All triples, or those of train if `valid` or `test` is given.
        valid: The validation triples.
        test: The test triples.
        n_entities: How many entities there are; by default one more than the largest id.
        n_relations: How many relations there are; likewise.
        entities: The labels of the entities, by id; by default the ids themselves.
        relations: The labels of the relations, by id.
        split: The shares of train, valid and test; None to learn from all of them.
        seed: What the split is drawn with.
        duplicates: "keep" copies of a triple, or "drop" all but the first.
        name: What the graph is called.

    Example:
        >>> from_ids([[0, 0, 1], [1, 0, 2]], entities=["a", "b", "c"]).entities.id("c")
        2
    """
    given = {"train": train, "valid": valid, "test": test}
    arrays = {
        part: as_triples(ids, part)
        for part, ids in given.items()
        if ids is not None or part == "train"
    }
    entity_vocabulary = _vocabulary("entity", entities, n_entities, arrays.values(), (0, 2))
    relation_vocabulary = _vocabulary("relation", relations, n_relations, arrays.values(), (1,))
    sizes = (len(entity_vocabulary), len(relation_vocabulary))
    return graph_from_ids(
        {part: checked_triples(ids, part, *sizes) for part, ids in arrays.items()},
        entity_vocabulary,
        relation_vocabulary,
        choices=Choices(split, seed, duplicates, "keep"),
        sources=[
            SourceReport(split=part, source=f"{part} ids", format="array", triples=len(ids))
            for part, ids in arrays.items()
        ],
        name=name,
    )


def _label_frame(triples: LabelRows, part: str) -> pl.DataFrame:
    rows = label_rows(triples, part)
    try:
        return pl.DataFrame(rows, schema=dict.fromkeys(ROLES, pl.String), orient="row")
    except UnicodeEncodeError as error:
        raise InputError(f"{part}: one of the labels is no Unicode text ({error})") from error


def label_table(triples: LabelRows, source: str) -> Table:
    """The triples as a table; refused if they are something else."""
    before_polars()
    return frame_table(_label_frame(triples, source), None, source)


def label_rows(triples: LabelRows, source: str) -> list[tuple[str, str, str]]:
    """The triples in a list; refused if they are something else."""
    if hasattr(triples, "columns"):
        raise InputError(
            f"{source}: expected (head, relation, tail) labels, found a frame; its rows are "
            "frame.itertuples(index=False) in pandas and frame.iter_rows() in Polars"
        )
    if not isinstance(triples, Iterable):
        raise InputError(
            f"{source}: expected (head, relation, tail) labels, found {triples!r:.100}"
        )
    rows = list(triples)
    for number, row in enumerate(rows):
        is_row = isinstance(row, Sequence | np.ndarray) and not isinstance(row, str | bytes)
        if not is_row or len(row) != 3 or not all(isinstance(label, str) for label in row):
            raise InputError(f"{source}, row {number}: expected three labels, found {row!r:.100}")
    return rows


def _vocabulary(
    kind: str,
    labels: Sequence[str] | None,
    size: int | None,
    arrays: Collection[NDArray[np.integer]],
    columns: tuple[int, ...],
) -> Vocabulary:
    count = f"n_{'entities' if kind == 'entity' else 'relations'}"
    if size is not None and not isinstance(size, int | np.integer):
        raise InputError(f"{count} is a whole number, found {size!r:.100}")
    if labels is not None:
        vocabulary = Vocabulary(kind, labels)
        if size is not None and size != len(vocabulary):
            raise InputError(f"{len(vocabulary)} {kind} labels were given, and a count of {size}")
        return vocabulary
    if size is None:
        size = 1 + max((int(ids[:, columns].max()) for ids in arrays if len(ids)), default=-1)
        most = _MOST_UNUSED * (1 + sum(len(ids) for ids in arrays))
        if size > most:
            raise InputError(
                f"the largest {kind} id is {size - 1:,}, which so few triples do not need: number "
                f"from 0 without gaps, or give {count}"
            )
    if not 0 <= size <= _MOST_LABELS:
        raise InputError(f"{count} is between 0 and {_MOST_LABELS:,}, found {size:,}")
    check_memory(size * _BYTES_PER_LABEL, f"{size:,} {kind} labels", f"give a smaller {count}")
    return Vocabulary(kind, pl.Series(np.arange(size)).cast(pl.String))
