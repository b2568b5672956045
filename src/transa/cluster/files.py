"""The files of a run that many write: none is ever written twice.

Whoever writes ``part-3.17`` writes ``part-3.17.9f2c41d8``, and says so to whom it works for. A node
that was given up and comes back does no harm: what it writes nobody has asked for.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from transa.cluster.store import Store
from transa.errors import StoreError
from transa.files.arrays import Arrays
from transa.prepared.layout import Pair
from transa.training.partitioned.files import RunFiles

Catalogue: TypeAlias = dict[str, tuple[str, int]]
"""Of each file the name that it is stored by, and its checksum."""


class SharedFiles(RunFiles):
    """Files of rows that all nodes reach.

    Attributes:
        catalogue: where files are.
        written: those that were written here, since somebody asked last.
    """

    def __init__(self, store: Store, scratch: Path) -> None:
        super().__init__(store.folder or scratch)
        self.store = store
        self.catalogue: Catalogue = {}
        self.written: Catalogue = {}

    def hand_in(self) -> Catalogue:
        """What was written since the last time."""
        written, self.written = self.written, {}
        return written

    def keep(self, catalogue: Catalogue) -> None:
        """Know these files and no others; copies of others are removed from this machine."""
        self.catalogue = dict(catalogue)
        self.sums = dict(catalogue.values())
        if self.store.folder is None:
            for path in self.folder.iterdir():
                if path.is_file() and path.name not in self.sums:
                    path.unlink()

    def write_rows(self, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write rows under a name of their own."""
        stored = f"{name}.{secrets.token_hex(4)}"
        super().write_rows(stored, arrays)
        if self.store.folder is None:
            self.store.put(self.folder / stored, stored)
        self.catalogue[name] = self.written[name] = stored, self.sums[stored]

    def read_rows(self, name: str) -> Arrays:
        """What somebody wrote by this name."""
        stored, _ = self.catalogue[name]
        if self.store.folder is None and not (self.folder / stored).exists():
            if not self.store.has(stored):
                raise self._damaged(stored)
            self.store.fetch(stored, self.folder / stored)
        return super().read_rows(stored)

    def write_distances(self, pair: Pair, distances: NDArray[np.float32]) -> None:
        """Keep the distances of a bucket's pairs."""
        self.write_rows(f"distances-{pair}", {"distances": distances})

    def read_distances(self, pairs: list[Pair]) -> NDArray[np.float32]:
        """The distances of the pairs of some buckets, one bucket after the other."""
        return np.concatenate([self.read_rows(f"distances-{p}")["distances"] for p in pairs])

    def _damaged(self, name: str) -> StoreError:
        return StoreError(
            f"{self.store}: {name} is not as it was written, and the run cannot go on; remove "
            f"{self.store} and train again"
        )

    def _refused(self, error: OSError) -> StoreError:
        return StoreError(
            f"{self.folder}: cannot be written ({error.strerror or error}); make room there; what "
            "was saved before is whole, and --resume goes on from it"
        )
