"""What a prepared graph tells of itself: ``prepared.json``, written last and read first."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from transa import __version__
from transa.declarations import shown
from transa.errors import StoreError
from transa.files.arrays import sum_of
from transa.files.schema import Between, Natural, conform, parse, read_text
from transa.files.whole import whole_file
from transa.prepared.layout import Layout, around_path, bucket_path, pairs_path

FORMAT = 2
"""Raised when a folder written from then on would be misread by an older version, or one written
before lacks something: 2 has what is round an entity both ways, for inverse relations."""

RECORD, ENTITIES, RELATIONS = "prepared.json", "entities.parquet", "relations.parquet"
HELD_OUT = "held_out.parquet"


@dataclass(frozen=True)
class Record:
    """Counts, and a checksum of every file.

    Attributes:
        name: of the graph.
        entities: how many there are.
        relations: how many there are.
        rows: entities of a partition.
        train: triples to train on, without copies.
        valid: triples held out.
        test: triples held out.
        seed: of the split.
        made_of: tells whether another source or plan would give the same.
        sums: of every file, by its name; see `transa.files.arrays.sum_of`.
        format: of the folder.
        transa: the version that wrote it.
    """

    name: str
    entities: Annotated[int, Between(1, 2**31 - 1)]
    relations: Annotated[int, Between(1, 2**31 - 1)]
    rows: Annotated[int, Between(1, 2**31 - 1)]
    train: Natural
    valid: Natural
    test: Natural
    seed: int
    made_of: str
    sums: dict[str, Annotated[int, Between(0, 2**64 - 1)]]
    format: int = FORMAT
    transa: str = __version__

    @property
    def layout(self) -> Layout:
        """Where entities are."""
        return Layout(self.entities, self.rows)


def write_record(folder: Path, record: Record) -> None:
    """Write it, which makes the folder whole."""
    with whole_file(folder / RECORD) as part:
        part.write_text(json.dumps(asdict(record), indent=1), encoding="utf-8")


def is_prepared(folder: object) -> bool:
    """Whether it is the folder of a prepared graph."""
    return isinstance(folder, str | Path) and (Path(folder) / RECORD).is_file()


def read_record(folder: Path) -> Record:
    """The record of a folder that has all its files, each as long as it was.

    Raises:
        StoreError: says what is wrong.
    """
    try:
        told: Any = parse(read_text(folder / RECORD))
    except OSError:
        raise StoreError(f"{folder}: no prepared graph (no readable {RECORD})") from None
    except (ValueError, StoreError) as error:
        raise StoreError(f"{folder}: {RECORD} is damaged ({error}); prepare it again") from None
    format_ = told.get("format") if isinstance(told, dict) else None
    if type(format_) is int and format_ > FORMAT:
        raise StoreError(
            f"{folder}: a prepared graph of format {shown(format_)}, written by transa "
            f"{told.get('transa')!s:.60}; this is transa {__version__}, which reads up to format "
            f"{FORMAT}: upgrade it"
        )
    if type(format_) is int and 0 < format_ < FORMAT:
        raise StoreError(
            f"{folder}: a prepared graph of format {format_}, of an older transa; prepare it again "
            "(transa prepare)"
        )
    try:
        record: Record = conform(Record, told, RECORD)
        _check_names(record)
    except StoreError as error:
        raise StoreError(f"{folder}: {RECORD} is damaged ({error}); prepare it again") from None
    for name in record.sums:
        if not (folder / name).is_file():
            raise StoreError(f"{folder}: {name} is missing; prepare the graph again")
    return record


def _check_names(record: Record) -> None:
    """Refuse names of files elsewhere, and a record that lacks one of its own."""
    strange = [name for name in record.sums if not re.fullmatch(r"\w[\w.-]*", name, re.ASCII)]
    if strange:
        raise StoreError(f"{strange[0]!r:.60} is no file of a prepared graph")
    layout, here = record.layout, Path()
    if layout.rows > layout.n_entities or layout.partitions > len(record.sums):
        raise StoreError(
            f"{layout.n_entities:,} entities, {layout.rows:,} in each of {layout.partitions:,} "
            f"partitions, of which {len(record.sums):,} files tell"
        )
    needed = {ENTITIES, RELATIONS, HELD_OUT}
    needed |= {bucket_path(here, pair).name for pair in layout.pairs}
    for path_of in (around_path, pairs_path):
        needed |= {path_of(here, partition).name for partition in range(layout.partitions)}
    if missing := needed - record.sums.keys():
        raise StoreError(f"{min(missing)} is not among its files")


def link_graph(folder: Path, to: Path) -> None:
    """The same graph in another folder: no bytes are copied where the system has hard links."""
    to.mkdir()
    for name in (*read_record(folder).sums, RECORD):
        try:
            os.link(folder / name, to / name)
        except OSError:
            shutil.copyfile(folder / name, to / name)


def check_file(folder: Path, record: Record, name: str) -> None:
    """Refuse a file that is not as it was written."""
    if sum_of(folder / name) != record.sums[name]:
        raise StoreError(
            f"{folder}: {name} is not as it was written (its checksum differs); prepare the graph "
            "again"
        )


def check_files(folder: Path) -> None:
    """Refuse a folder one of whose files is not as it was written."""
    record = read_record(folder)
    for name in record.sums:
        check_file(folder, record, name)
