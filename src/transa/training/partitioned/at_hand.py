"""The rows at hand: some partitions side by side in memory, the next one on its way.

One thread reads and writes, in the order in which it is asked to, so that what is read was written.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from transa.kernels.memory import apart
from transa.models.energy import Energy, Parameters
from transa.prepared.layout import Layout, Pair
from transa.prepared.memory import SPARE
from transa.settings.recipe import Recipe
from transa.training.optimisers import State, fresh_state
from transa.training.partitioned.files import RunFiles


class RowsAtHand:
    """Entities' rows of every table, and what the optimiser keeps of them.

    Attributes:
        named: the file of each partition that is not as it was drawn.
        place: of each partition at hand: the first row is `rows` of the layout times that.
    """

    def __init__(
        self, energy: Energy, recipe: Recipe, layout: Layout, n_places: int, files: RunFiles
    ) -> None:
        self._energy, self._layout, self._files = energy, layout, files
        self._seed, self._optimiser = recipe.seed, recipe.optimiser
        self._tables = [name for name, of in energy.tables.items() if of == "entity"]
        self._n_places = n_places
        self._memory = self._fresh(n_places * layout.rows)
        self._spare: queue.Queue[Mapping[str, NDArray[np.float32]]] = queue.Queue()
        for _ in range(SPARE if n_places < layout.partitions else 1):
            self._spare.put(self._fresh(layout.rows))
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="transa-disk")
        self._coming: dict[int, Future[Mapping[str, NDArray[np.float32]]]] = {}
        self._going: list[Future[None]] = []
        self.named: dict[int, str] = {}
        self.place: dict[int, int] = {}

    def _fresh(self, rows: int) -> dict[str, NDArray[np.float32]]:
        """Room for so many rows of everything."""
        rng = np.random.default_rng(0)
        shapes = {name: self._energy.draw(name, 0, rng).shape[1:] for name in self._tables}
        # Well apart, so that a step rounds alike wherever the allocator has put small tables.
        tables = {name: apart((rows, *shape)) for name, shape in shapes.items()}
        return tables | fresh_state(tables, self._optimiser)

    def close(self) -> None:
        """Wait for what is being read and written."""
        self._thread.shutdown(wait=True)

    @property
    def n_rows(self) -> int:
        """Entities at hand."""
        return sum(map(self._layout.size, self.place))

    def tables(self) -> Parameters:
        """The rows at hand of every table of entities."""
        return {name: self._memory[name][: self.n_rows] for name in self._tables}

    def state(self) -> State:
        """What the optimiser keeps of these rows."""
        kept = (name for name in self._memory if name not in self._tables)
        return {name: self._memory[name][: self.n_rows] for name in kept}

    def ids(self, ids: NDArray[np.int32], pair: Pair) -> NDArray[np.int32]:
        """Ids of a bucket's file as positions among the rows at hand."""
        rows = self._layout.rows
        low, high = (np.int32(place * rows) for place in (self.place[p] for p in pair))
        moved: NDArray[np.int32] = ids + np.where(ids < rows, low, high - np.int32(rows))
        return moved

    def of(self, partition: int) -> dict[str, NDArray[np.float32]]:
        """The rows of a partition at hand."""
        return self._at(self.place[partition], self._layout.size(partition))

    def _at(self, place: int, size: int) -> dict[str, NDArray[np.float32]]:
        first = place * self._layout.rows
        return {name: array[first : first + size] for name, array in self._memory.items()}

    def draw(self, partition: int, rows: Mapping[str, NDArray[np.float32]]) -> None:
        """A partition's rows as they are before training."""
        draw_rows(self._energy, self._seed, partition, rows)

    def fetch(self, partitions: Iterable[int]) -> None:
        """Begin to read what of these is not at hand."""
        for partition in sorted(partitions):
            if partition not in self.place and partition not in self._coming:
                # Taken here: a read that waited for room would hold up the writes that make some.
                name, spare = self.named.get(partition), self._spare.get()
                self._coming[partition] = self._thread.submit(self._read, partition, name, spare)

    def _read(
        self, partition: int, name: str | None, spare: Mapping[str, NDArray[np.float32]]
    ) -> Mapping[str, NDArray[np.float32]]:
        size = self._layout.size(partition)
        rows = {each: array[:size] for each, array in spare.items()}
        if name is None:
            self.draw(partition, rows)
        else:
            for each, array in self._files.read_rows(name).items():
                rows[each][...] = array
        return spare

    def bring(self, partitions: Iterable[int]) -> None:
        """Have these at hand; the others are let go."""
        wanted = set(partitions)
        self.place = {p: place for p, place in self.place.items() if p in wanted}
        for partition in sorted(wanted - {*self.place}):
            free = sorted({*range(self._n_places)} - {*self.place.values()})
            if partition == self._layout.partitions - 1 and self._n_places - 1 not in free:
                # The last partition may be shorter, and stands last, so that no row is nobody's.
                self._move(self._n_places - 1, free[0])
                free = [self._n_places - 1]
            elif self._layout.partitions - 1 in wanted and len(free) > 1:
                free = free[: -1 if self._n_places - 1 in free else None]
            self.put(partition, free[0])

    def _move(self, place: int, to: int) -> None:
        partition = next(p for p, where in self.place.items() if where == place)
        size = self._layout.size(partition)
        self._copy(self._at(place, size), self._at(to, size))
        self.place[partition] = to

    def put(self, partition: int, place: int) -> None:
        """Have a partition at hand in that place, which is free."""
        self.fetch([partition])
        spare, size = self._coming.pop(partition).result(), self._layout.size(partition)
        self._copy({n: a[:size] for n, a in spare.items()}, self._at(place, size))
        self._spare.put(spare)
        self.place[partition] = place

    @staticmethod
    def _copy(
        rows: Mapping[str, NDArray[np.float32]], to: Mapping[str, NDArray[np.float32]]
    ) -> None:
        for name, array in rows.items():
            to[name][...] = array

    def write(self, partition: int, after: int) -> None:
        """Begin to write a partition as it is now."""
        self.check()
        spare, rows = self._spare.get(), self.of(partition)
        copy = {name: array[: self._layout.size(partition)] for name, array in spare.items()}
        self._copy(rows, copy)
        name = self.named[partition] = f"part-{partition}.{after}"

        def work() -> None:
            try:
                self._files.write_rows(name, copy)
            finally:
                self._spare.put(spare)

        self.later(work)

    def later(self, work: Callable[[], None]) -> None:
        """Have something done after what is being written."""
        self._going.append(self._thread.submit(work))

    def check(self, *, wait: bool = False) -> None:
        """Raise what went wrong in writing; wait for the rest of it if so asked."""
        while self._going and (wait or self._going[0].done()):
            self._going.pop(0).result()


def draw_rows(
    energy: Energy, seed: int, partition: int, rows: Mapping[str, NDArray[np.float32]]
) -> None:
    """Fill a partition's rows as they are before training: the same wherever it is done."""
    rng = np.random.default_rng((seed, partition))
    for name, array in rows.items():
        if energy.tables.get(name) == "entity":
            energy.fill(name, array, rng)
        else:
            array[...] = 0
