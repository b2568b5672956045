"""What the engines that run on PyTorch share: tables on a device, steps on some of their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from transa.errors import ConfigError
from transa.files.forks import threads_left
from transa.models.energy import Energy, Rows
from transa.settings.config import Plain
from transa.settings.recipe import Recipe
from transa.training.bucket import Bucket, Key
from transa.training.interrupt import StopAsked
from transa.training.optimisers import step_rows

if TYPE_CHECKING:
    import torch
    from torch import Tensor


Batch = TypeVar("Batch")


_counts_before: list[int] = []
_changing = Lock()


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """So many threads for PyTorch's work in this thread, and afterwards as many as before.

    PyTorch keeps a number for each thread, and the last one set for threads that are yet to come.
    Of several that train at the same time the first sees what was before, and all put it back.
    """
    import torch

    with _changing:
        before = _counts_before[0] if _counts_before else torch.get_num_threads()
        _counts_before.append(before)
        torch.set_num_threads(threads_left(count))
    try:
        yield
    finally:
        with _changing:
            _counts_before.pop()
            torch.set_num_threads(before)


class TorchEngine:
    """Steps in batches; a step touches only the rows of its batch."""

    def __init__(self, energy: Energy, recipe: Recipe, bucket: Bucket) -> None:
        import torch

        self.energy, self.recipe, self.bucket = energy, recipe, bucket
        self._arrays = {**bucket.tables, **bucket.state}
        self._device = device_called(recipe.device)
        self._chance = torch.Generator(self._device)
        # On the CPU these share the arrays' memory.
        self._tables = {name: self.tensor(array) for name, array in bucket.tables.items()}
        self.position: Plain | None = None
        self.rate = recipe.lr
        self._state = {name: self.tensor(array) for name, array in bucket.state.items()}

    def leaves(self, rows: Mapping[Rows, Tensor]) -> dict[str, Tensor]:
        """The rows of every table that a step is about, to be differentiated by."""
        return {
            name: table.index_select(0, rows[self.energy.tables[name]]).requires_grad_()
            for name, table in self._tables.items()
        }

    def thinned(
        self, leaves: Mapping[str, Tensor], anchors: Tensor
    ) -> tuple[Mapping[str, Tensor], Tensor]:
        """The rows as a step sees them, and where the anchors of its triples are among them.

        With dropout every anchor has a row of its own, in which some numbers are left out; the
        candidates are seen whole, since it is they that are to be told apart.
        """
        if self.recipe.dropout == 0:
            return leaves, anchors
        import torch

        seen = dict(leaves)
        for name, leaf in leaves.items():
            if self.energy.tables[name] == "entity":
                seen[name] = torch.cat([leaf, self.thin(leaf[anchors])])
        first = len(leaves["entity"])
        return seen, torch.arange(first, first + len(anchors), device=self._device)

    def thin(self, rows: Tensor) -> Tensor:
        """Rows in which some numbers are left out; the others are scaled, so that sums stay."""
        import torch

        share = self.recipe.dropout
        kept = torch.rand(rows.shape, generator=self._chance, device=self._device) >= share
        return rows * kept / (1 - share)

    def step_through(
        self, steps: Sequence[Batch], step: Callable[[Batch], float], stop: StopAsked, key: Key
    ) -> float:
        """Take the steps of a chunk that are left, until `stop` says so; the sum of their losses.

        Dropout begins anew with every chunk, so that it depends on where in the run this is.
        """
        done = 0
        if self.position is None:
            self.throw_anew(key)
        else:
            done = self.position["steps"]
            dropout = np.frombuffer(bytes.fromhex(self.position["dropout"]), np.uint8)
            self._chance.set_state(self.tensor(dropout.copy()).cpu())
        total = 0.0
        while done < len(steps) and not stop():
            total += step(steps[done])
            done += 1
        self.position = None
        if done < len(steps):
            dropout = self._chance.get_state().numpy()
            self.position = {"steps": done, "dropout": dropout.tobytes().hex()}
        return total

    def throw_anew(self, key: Key) -> None:
        """Let dropout depend on where in the run this is, and on nothing before."""
        (seed,) = np.random.SeedSequence(key).generate_state(1, np.uint64)
        self._chance.manual_seed(int(seed))

    def update(self, leaves: Mapping[str, Tensor], rows: Mapping[Rows, Tensor]) -> None:
        """Move those rows by their gradients, and put them back where they must be."""
        recipe = self.recipe
        for name, leaf in leaves.items():
            table, touched = self._tables[name], rows[self.energy.tables[name]]
            if leaf.grad is not None:
                step_rows(table, touched, leaf.grad, self._state, name, recipe.optimiser, self.rate)
            if recipe.constraint == "ball" and name == "entity":
                lengths = table[touched].norm(dim=1, keepdim=True)
                table[touched] /= lengths.clamp(min=1)
        self.energy.constrain(self._tables, rows)

    def onto_sphere(self) -> None:
        """Put every entity on the unit sphere."""
        table = self._tables["entity"]
        lengths = table.norm(dim=1, keepdim=True)
        table /= lengths.where(lengths > 0, lengths.new_ones(()))

    def synchronise(self) -> None:
        """Bring what was trained on another device back into the arrays."""
        if self._device.type != "cpu":
            for name, tensor in {**self._tables, **self._state}.items():
                self._arrays[name][...] = tensor.cpu().numpy()

    def tensor(self, array: NDArray[np.generic]) -> Tensor:
        """The array on the engine's device."""
        import torch

        return torch.from_numpy(array).to(self._device)


class Touched:
    """The distinct ids of a batch, and ids as positions among them."""

    def __init__(self, *ids: Tensor) -> None:
        import torch

        self.rows = torch.unique(torch.cat([part.reshape(-1) for part in ids]))

    def __call__(self, ids: Tensor) -> Tensor:
        """Where among the distinct ones these are."""
        import torch

        return torch.searchsorted(self.rows, ids.contiguous())


def touched_rows(entities: Touched, relations: Touched) -> dict[Rows, Tensor]:
    """The rows of each kind of table that a batch is about."""
    only_row = relations.rows.new_zeros(1)
    return {"entity": entities.rows, "relation": relations.rows, "shared": only_row}


def device_called(name: str) -> torch.device:
    """The device of this name.

    Raises:
        ConfigError: if there is none here.
    """
    import torch

    try:
        device = torch.device(name)
        torch.empty(0, device=device).cpu()
    except (RuntimeError, AssertionError) as error:
        raise ConfigError(
            f"device {name!r} is not available here; 'cpu' always is ({str(error).splitlines()[0]})"
        ) from error
    return device
