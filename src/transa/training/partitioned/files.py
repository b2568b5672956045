"""What a run in partitions keeps on disk: rows by partition, whole models, and how far it is.

    part-P.N            rows of partition P and what the optimiser keeps of them, after N buckets
    relations.N         the same of relations, after N buckets
    model-0, -1, -2     tables of whole models: the mean so far, the best so far, the one in work
    distances-A-B       between neighbours in a bucket
    margins-P.N         of the triples round a partition's entities, for epoch N
    progress.json       which of them belong together; replaced when all of them are there

A kill leaves the last ``progress.json`` and all that it names. Files are written under a new name
each time and removed when nothing names them any more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transa.errors import StoreError
from transa.files.arrays import Arrays, map_arrays, reserve_arrays, sum_of, write_arrays, write_raw
from transa.files.whole import whole_file
from transa.prepared.layout import Pair

FORMAT = 1

_PROGRESS = "progress.json"
MODELS = 3
"""Files of whole models that take turns."""


class RunFiles:
    """The files of one run.

    Attributes:
        folder: where they are.
        sums: checksums of the files of rows, by name; None of those that this process wrote last
            and nobody else can have changed since.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sums: dict[str, int] = {}

    def exists(self) -> bool:
        """Whether a run has left its progress here."""
        return (self.folder / _PROGRESS).exists()

    def begin(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        """Take the room for whole models, and remove what another run has left."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for old in self.folder.iterdir():
                old.unlink()
            for number in range(MODELS):
                reserve_arrays(self.model(number), shapes)
        except OSError as error:
            raise self._refused(error) from error

    def model(self, number: int) -> Path:
        """The file of a whole model."""
        return self.folder / f"model-{number}"

    def write_rows(self, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write rows, of a partition or of relations, and remember their checksum."""
        path = self.folder / name
        try:
            part = path.with_suffix(path.suffix + "~")
            write_arrays(part, arrays)
            part.replace(path)
            self.sums[name] = sum_of(path)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise self._refused(error) from error

    def read_rows(self, name: str) -> Arrays:
        """What `write_rows` wrote, mapped.

        Raises:
            StoreError: if the file is not as it was written.
        """
        path = self.folder / name
        if not path.exists() or sum_of(path) != self.sums[name]:
            raise self._damaged(name)
        return map_arrays(path)

    def write_distances(self, pair: Pair, distances: NDArray[np.float32]) -> None:
        """Keep the distances of a bucket's pairs."""
        try:
            with (self.folder / f"distances-{pair}").open("wb") as file:
                write_raw(file, distances)
        except OSError as error:
            raise self._refused(error) from error

    def read_distances(self, pairs: list[Pair]) -> NDArray[np.float32]:
        """The distances of the pairs of some buckets, one bucket after the other."""
        found = [np.fromfile(self.folder / f"distances-{pair}", np.float32) for pair in pairs]
        return np.concatenate(found)

    def write_progress(self, progress: Mapping[str, Any]) -> None:
        """Say how far the run is; then what is not named any more is removed."""
        named = set(progress["named"])
        sums = {name: self.sums[name] for name in named}
        with whole_file(self.folder / _PROGRESS) as part:
            part.write_text(json.dumps({"format": FORMAT, "sums": sums, **progress}))
        newest = {
            stem: int(number) for stem, _, number in (n.rpartition(".") for n in sorted(named))
        }
        for path in self.folder.glob("*.*"):
            stem, _, number = path.name.rpartition(".")
            is_older = number.isdigit() and int(number) < newest.get(stem, 0)
            if is_older and path.name not in named:
                path.unlink()
                self.sums.pop(path.name, None)

    def read_progress(self, owner: str) -> dict[str, Any]:
        """What a run with the same settings has said last."""
        path = self.folder / _PROGRESS
        if not path.exists():
            raise StoreError(
                f"there is no checkpoint at {path}; train without --resume to begin one"
            )
        try:
            progress: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            newer, other = progress["format"] > FORMAT, progress["owner"] != owner
            self.sums = dict(progress["sums"])
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(
                f"the checkpoint {path} is damaged ({error}); train without --resume to begin anew"
            ) from error
        if newer:
            raise StoreError(
                f"the checkpoint {path} was written by a newer transa; upgrade to go on"
            )
        if other:
            raise StoreError(
                f"the checkpoint {path} is of another run: its graph, model or recipe differ; "
                "give the same options, or train without --resume"
            )
        return progress

    def _damaged(self, name: str) -> StoreError:
        return StoreError(
            f"{self.folder / name} is not as it was written, and the run cannot go on: remove "
            f"{self.folder.parent} and train again"
        )

    def _refused(self, error: OSError) -> StoreError:
        return StoreError(
            f"{self.folder}: cannot be written ({error.strerror or error}); what was saved before "
            "is whole, and --resume goes on from it"
        )
