"""The autograd engine: PyTorch, every model, any device; the specification of the fused one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from transa.errors import ConfigError
from transa.kernels.margins import TripleMargins
from transa.kernels.random import generator_state
from transa.kernels.sampling import TAIL
from transa.models.energy import Energy, Parameters
from transa.training.losses import losses
from transa.training.margins import margins_of
from transa.training.optimisers import State, step_rows
from transa.training.recipe import Recipe
from transa.training.sampling import draw
from transa.training.work import Work

if TYPE_CHECKING:
    import torch
    from torch import Tensor


class AutogradEngine:
    """Steps in batches; a step touches only the rows of its batch."""

    def __init__(
        self, energy: Energy, recipe: Recipe, parameters: Parameters, state: State, work: Work
    ) -> None:
        self._energy, self._recipe, self._work = energy, recipe, work
        self._arrays = {**parameters, **state}
        self._device = _device(recipe.device)
        # On the CPU these share the arrays' memory.
        self._tables = {name: self._tensor(array) for name, array in parameters.items()}
        self._state = {name: self._tensor(array) for name, array in state.items()}

    def run(
        self,
        blocks: NDArray[np.int64],
        margins: TripleMargins,
        key: tuple[int, ...],
        threads: int,
    ) -> float:
        """Train on blocks of triples; the sum of their losses."""
        import torch

        torch.set_num_threads(threads)
        which = self._work.triples_of(blocks)
        state = generator_state(*key, 0)
        total = 0.0
        for start in range(0, len(which), self._recipe.batch):
            batch = which[start : start + self._recipe.batch]
            sides, negatives = draw(
                self._work.triples, batch, self._work.known, self._recipe.negatives, state
            )
            possible = sides >= 0
            batch, sides, negatives = batch[possible], sides[possible], negatives[possible]
            chosen = margins_of(margins, batch, sides)
            total += self.step(self._work.triples[batch], sides, negatives, chosen)
        return total

    def step(
        self,
        triples: NDArray[np.int32],
        sides: NDArray[np.int8],
        negatives: NDArray[np.int32],
        margins: NDArray[np.float32],
    ) -> float:
        """One step on triples whose corruptions are given; the sum of their losses."""
        h, r, t = (self._tensor(triples[:, column].astype(np.int64)) for column in range(3))
        corrupted = self._tensor(negatives.astype(np.int64))
        tail = self._tensor(sides == TAIL)[:, None]
        heads = h[:, None].where(tail, corrupted)
        tails = corrupted.where(tail, t[:, None])
        entities = _Touched(h, t, corrupted)
        relations = _Touched(r)
        rows = {"entity": entities.rows, "relation": relations.rows}
        leaves = {
            name: table[rows[self._energy.tables[name]]].requires_grad_()
            for name, table in self._tables.items()
        }
        positive = self._energy.energy(leaves, entities(h), relations(r), entities(t))
        negative = self._energy.energy(
            leaves, entities(heads), relations(r)[:, None], entities(tails)
        )
        recipe = self._recipe
        loss = losses(
            recipe.loss,
            positive,
            negative,
            self._tensor(margins),
            recipe.gamma or 0.0,
            recipe.adversarial,
        ).sum()
        loss.backward()  # type: ignore[no-untyped-call]
        self._update(leaves, rows)
        return float(loss.detach())

    def _update(self, leaves: dict[str, Tensor], rows: dict[str, Tensor]) -> None:
        recipe = self._recipe
        for name, leaf in leaves.items():
            kind = self._energy.tables[name]
            table, touched = self._tables[name], rows[kind]
            if leaf.grad is not None:
                step_rows(table, touched, leaf.grad, self._state, name, recipe.optimiser, recipe.lr)
            if recipe.constraint == "ball" and name == "entity":
                lengths = table[touched].norm(dim=1, keepdim=True)
                table[touched] /= lengths.clamp(min=1)

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

    def _tensor(self, array: NDArray[np.generic]) -> Tensor:
        import torch

        return torch.from_numpy(array).to(self._device)


class _Touched:
    """The distinct ids of a batch, and ids as positions among them."""

    def __init__(self, *ids: Tensor) -> None:
        import torch

        self.rows = torch.unique(torch.cat([part.reshape(-1) for part in ids]))

    def __call__(self, ids: Tensor) -> Tensor:
        import torch

        return torch.searchsorted(self.rows, ids.contiguous())


def _device(name: str) -> torch.device:
    import torch

    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ConfigError(
            f"device {name!r} is not available here; 'cpu' always is ({str(error).splitlines()[0]})"
        ) from error
    return device
