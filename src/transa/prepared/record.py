"""What a prepared graph tells of itself: ``prepared.json``, written last and read first."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from transa import __version__
from transa.errors import StoreError
from transa.files.arrays import sum_of
from transa.files.whole import whole_file
from transa.prepared.layout import Layout

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
    entities: int
    relations: int
    rows: int
    train: int
    valid: int
    test: int
    seed: int
    made_of: str
    sums: dict[str, int]
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
        told: dict[str, Any] = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        if told["format"] > FORMAT:
            raise StoreError(
                f"{folder}: a prepared graph of format {told['format']}, written by transa "
                f"{told['transa']}; this is transa {__version__}, which reads up to format "
                f"{FORMAT}: upgrade it"
            )
        if told["format"] < FORMAT:
            raise StoreError(
                f"{folder}: a prepared graph of format {told['format']}, of an older transa; "
                "prepare it again (transa prepare)"
            )
        record = Record(**told)
    except OSError:
        raise StoreError(f"{folder}: no prepared graph (no readable {RECORD})") from None
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{folder}: {RECORD} is damaged ({error}); prepare it again") from None
    for name in record.sums:
        if not (folder / name).is_file():
            raise StoreError(f"{folder}: {name} is missing; prepare the graph again")
    return record


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
