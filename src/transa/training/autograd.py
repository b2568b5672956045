"""The autograd engine: PyTorch, every model, any device; the specification of the fused one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from transa.errors import ConfigError
from transa.kernels.margins import TripleMargins
from transa.kernels.random import generator_state
from transa.kernels.sampling import TAIL
from transa.models.energy import Energy, Parameters, Rows
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
        # Corrupted heads first, so that anchors and candidates of either side stand together.
        order = np.argsort(sides, kind="stable")
        triples, negatives, margins = triples[order], negatives[order], margins[order]
        n_heads = int((sides != TAIL).sum())
        h, r, t = (self._tensor(triples[:, column].astype(np.int64)) for column in range(3))
        corrupted = self._tensor(negatives.astype(np.int64))
        entities, relations = _Touched(h, t, corrupted), _Touched(r)
        rows: dict[Rows, Tensor] = {
            "entity": entities.rows,
            "relation": relations.rows,
            "shared": r.new_zeros(1),
        }
        leaves = {
            name: table[rows[self._energy.tables[name]]].requires_grad_()
            for name, table in self._tables.items()
        }
        ids = (entities(h), relations(r), entities(t))
        energies = self._energies(leaves, ids, entities(corrupted), n_heads)
        recipe = self._recipe
        loss = losses(
            recipe.loss,
            energies[:, 0],
            energies[:, 1:],
            self._tensor(margins),
            recipe.gamma or 0.0,
            recipe.adversarial,
        ).sum()
        penalty = self._energy.penalty(leaves, *ids)
        if penalty is not None:
            loss = loss + penalty.sum()
        loss.backward()  # type: ignore[no-untyped-call]
        self._update(leaves, rows)
        return float(loss.detach())

    def _energies(
        self,
        leaves: dict[str, Tensor],
        triples: tuple[Tensor, Tensor, Tensor],
        corrupted: Tensor,
        n_heads: int,
    ) -> Tensor:
        """Energies (n, 1 + K) of the true triple and of its corruptions.

        Both in one call, so that what belongs to the relation or the anchor is computed once.
        """
        import torch

        h, r, t = (ids[:, None] for ids in triples)
        head, tail = slice(n_heads), slice(n_heads, None)
        heads = torch.cat([h[head], corrupted[head]], dim=1)
        tails = torch.cat([t[tail], corrupted[tail]], dim=1)
        energy = self._energy.energy
        return torch.cat(
            [energy(leaves, heads, r[head], t[head]), energy(leaves, h[tail], r[tail], tails)]
        )

    def _update(self, leaves: dict[str, Tensor], rows: dict[Rows, Tensor]) -> None:
        recipe = self._recipe
        for name, leaf in leaves.items():
            kind = self._energy.tables[name]
            table, touched = self._tables[name], rows[kind]
            if leaf.grad is not None:
                step_rows(table, touched, leaf.grad, self._state, name, recipe.optimiser, recipe.lr)
            if recipe.constraint == "ball" and name == "entity":
                lengths = table[touched].norm(dim=1, keepdim=True)
                table[touched] /= lengths.clamp(min=1)
        self._energy.constrain(self._tables, rows)

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
