"""The links of an index: who is near whom, on floors that get emptier towards the top.

That is a hierarchical navigable small world (Malkov & Yashunin 2018), as FAISS lays it out in
memory. What is kept are these few arrays of integers, not FAISS's own file: they can be looked
through before they are handed to native code, which trusts them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transa.errors import StoreError

NOBODY = -1

# Floors that the tallest entity may have: with 32 links each is a 32nd of the one below.
_HIGHEST = 16
_MOST_LINKS = 256


@dataclass(frozen=True, eq=False)
class Links:
    """The links of n entities.

    Attributes:
        width: links an entity has on each floor but the lowest, where it has twice as many.
        entry: where a search begins: an entity of the highest floor.
        floors: (n,), how many floors an entity has; at least 1.
        others: the links of entity 0 from its lowest floor up, then those of 1 and so on; −1 where
            there are fewer.
    """

    width: int
    entry: int
    floors: NDArray[np.int32]
    others: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.floors)

    @property
    def ends(self) -> NDArray[np.int64]:
        """(n + 1,): the links of entity i are others[ends[i]] .. others[ends[i + 1] − 1]."""
        return np.append(0, np.cumsum(self.width * (1 + self.floors.astype(np.int64))))

    def check(self, n_entities: int) -> None:
        """Refuse links that would lead a search out of bounds.

        Raises:
            StoreError: says what is wrong with them.
        """
        arrays = (self.floors, self.others)
        if any(array.ndim != 1 or array.dtype != np.int32 for array in arrays):
            raise StoreError("its arrays are not rows of 32-bit integers")
        if len(self) != n_entities:
            raise StoreError(f"it is of {len(self):,} entities, and the model has {n_entities:,}")
        if not 2 <= self.width <= _MOST_LINKS:
            raise StoreError(f"an entity has 2 to {_MOST_LINKS} links, found {self.width}")
        if self.floors.min() < 1 or self.floors.max() > _HIGHEST:
            raise StoreError(f"an entity has 1 to {_HIGHEST} floors")
        if not 0 <= self.entry < len(self) or self.floors[self.entry] != self.floors.max():
            raise StoreError("its entry is not on the highest floor")
        if len(self.others) != self.ends[-1]:
            raise StoreError(f"it has {len(self.others):,} links and should have {self.ends[-1]:,}")
        if self.others.min() < NOBODY or self.others.max() >= len(self):
            raise StoreError("some of its links lead nowhere")
        self._check_floors()

    def _check_floors(self) -> None:
        """Whoever is linked to on a floor has that floor."""
        ends = self.ends
        for floor in range(1, int(self.floors.max())):
            tall = np.flatnonzero(self.floors > floor)
            begin = ends[tall] + self.width * (floor + 1)
            linked = self.others[begin[:, None] + np.arange(self.width)]
            linked = linked[linked != NOBODY]
            if not np.all(self.floors[linked] > floor):
                raise StoreError("some of its links lead to a floor that is not there")
