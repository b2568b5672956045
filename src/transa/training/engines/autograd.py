"""The autograd engine: PyTorch, every model, any device; the specification of the fused one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from transa.graph.sampling import draw
from transa.kernels.random import generator_state
from transa.kernels.training.sampling import TAIL
from transa.models.tensors import Tensor, Tensors
from transa.training.bucket import Ids, Key
from transa.training.engines.batching import alone, together
from transa.training.engines.torch_engine import TorchEngine, Touched, torch_threads, touched_rows
from transa.training.interrupt import StopAsked, never
from transa.training.losses import LOSSES, Compared, negative_weights
from transa.training.margins import margins_of


class AutogradEngine(TorchEngine):
    """Every triple against corruptions of its own."""

    def run(self, blocks: Ids, key: Key, threads: int, stop: StopAsked = never) -> float:
        """Train on blocks of triples, until `stop` says so; the sum of their losses."""
        state = generator_state(*key, 0)
        if self.position is not None:
            state[0] = self.position["random"]
        batches = list(self._batches(self.bucket.triples_of(blocks), key))
        with torch_threads(threads):
            total = self.step_through(batches, lambda b: self._step_on(b, state), stop, key)
        if self.position is not None:
            self.position["random"] = int(state[0])
        return total

    def _step_on(self, batch: Ids, state: NDArray[np.uint64]) -> float:
        """Draw corruptions for the triples numbered `batch`, and step."""
        triples, known, margins = self.bucket.triples, self.bucket.known, self.bucket.margins
        sides, negatives = draw(triples, batch, known, self.recipe.negatives, state)
        possible = sides >= 0
        batch, sides, negatives = batch[possible], sides[possible], negatives[possible]
        return self.step(triples[batch], sides, negatives, margins_of(margins, batch, sides))

    def _batches(self, which: Ids, key: Key) -> Iterator[Ids]:
        """The triples of each step: as they come, or by relation and the steps in any order."""
        if not self.energy.by_relation:
            yield from np.split(which, range(self.recipe.batch, len(which), self.recipe.batch))
            return
        order, starts = together(self.bucket.triples[which, 1], self.recipe.batch)
        batches = np.split(which[order], starts[1:-1])
        for number in np.random.default_rng(key).permutation(len(batches)):
            yield batches[number]

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
        columns = triples[:, 0], alone(triples[:, 1]), triples[:, 2]
        h, r, t = (self.tensor(column.astype(np.int64)) for column in columns)
        corrupted = self.tensor(negatives.astype(np.int64))
        entities, relations = Touched(h, t, corrupted), Touched(r)
        rows = touched_rows(entities, relations)
        leaves = self.leaves(rows)
        ids = (entities(h), relations(r), entities(t))
        energies = self._energies(leaves, ids, entities(corrupted), n_heads)
        of_triples = LOSSES[self.recipe.loss].of_triples
        assert of_triples is not None  # noqa: S101 (see `engines.engine_for`)
        compared = Compared(
            energies[:, 0],
            energies[:, 1:],
            negative_weights(energies[:, 1:], self.recipe.adversarial),
            self.tensor(margins),
            self.recipe.gamma or 0.0,
        )
        loss = of_triples(compared).sum()
        h, r, t = ids
        # A batch of one relation holds its id once; the penalty counts it for every triple.
        penalty = self.energy.penalty(leaves, h, r.expand_as(h), t)
        if penalty is not None:
            loss = loss + penalty.sum()
        loss.backward()  # type: ignore[no-untyped-call]
        self.update(leaves, rows)
        return float(loss.detach())

    def _energies(
        self,
        leaves: Tensors,
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
        of_heads, of_tails = (r, r) if len(r) == 1 else (r[head], r[tail])
        heads = torch.cat([h[head], corrupted[head]], dim=1)
        tails = torch.cat([t[tail], corrupted[tail]], dim=1)
        seen, anchors = self.thinned(leaves, torch.cat([t[head, 0], h[tail, 0]]))
        t, h = anchors[head, None], anchors[tail, None]
        energy = self.energy.energy
        return torch.cat([energy(seen, heads, of_heads, t), energy(seen, h, of_tails, tails)])
