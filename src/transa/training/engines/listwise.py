"""The listwise loss: a triple against many entities at once, on either engine.

    L = log(1 + w_r e^(f + M − f_own) + n/K Σⱼ e^(f + M − f′ⱼ))
        + λ [softplus(f − γ) + meanⱼ softplus(γ − f′ⱼ)]

with all energies times `scale`. The first line is the paper's hinge, max(0, f + M − f′), taken over
all corruptions and made smooth; with M = 0 and K = n it is the cross-entropy of the answer among
all entities. K entities are drawn for a block of triples; known answers among them do not count.
f_own is the energy of the anchor itself, which is near every query of a translation: it is not left
to chance. λ, `logistic_share`, keeps in order what is far and a softmax forgets.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from transa.kernels.distances import NORM_CODES
from transa.kernels.sizes import compiled_dim
from transa.kernels.training.listwise import train_listwise_for
from transa.kernels.training.sampling import TAIL
from transa.kernels.training.step import ListwiseRule, listwise_room
from transa.models.energy import Energy
from transa.settings.recipe import Recipe
from transa.training.bucket import Bucket, Ids, Key
from transa.training.engines.fused import OPTIMISERS, FusedEngine, Loop, kernel_tables, steps_of
from transa.training.engines.torch_engine import TorchEngine, Touched, torch_threads, touched_rows
from transa.training.interrupt import StopAsked, never
from transa.training.margins import margins_of

if TYPE_CHECKING:
    from torch import Tensor

# A relation is taken for symmetric if so many of its triples are there the other way round too.
_SYMMETRIC = 0.5
# Answers to a question, on average, from which on a symmetric relation's anchors count as well.
_MANY = 10.0


def own_weights(bucket: Bucket, n_relations: int) -> NDArray[np.float32]:
    """How much an anchor counts as a candidate of its own query, w_r: by relation, 0 or 1.

    To put an entity far from its own query is to make the relation's translation long. A symmetric
    relation with few answers needs a short one, and goes without.
    """
    if bucket.own_weights is not None:
        return bucket.own_weights
    h, r, t = bucket.triples.astype(np.int64).T
    n = bucket.known.n_entities
    both = np.isin((r * n + t) * n + h, (r * n + h) * n + t)
    count = np.bincount(r, minlength=n_relations)
    both_ways = np.bincount(r[both], minlength=n_relations)
    return weights_of(
        count, both_ways, np.bincount(np.unique(r * n + h) // n, minlength=n_relations)
    )


def weights_of(
    count: NDArray[np.integer], both_ways: NDArray[np.integer], questions: NDArray[np.integer]
) -> NDArray[np.float32]:
    """The same, from each relation's triples, those there both ways, and distinct heads."""
    share = both_ways / np.maximum(count, 1)
    answers = count / np.maximum(questions, 1)
    weights: NDArray[np.float32] = ((share < _SYMMETRIC) | (answers > _MANY)).astype(np.float32)
    return weights


def listwise_loop(energy: Energy, recipe: Recipe, bucket: Bucket) -> Loop:
    """Blocks of triples against a pool that they share: one pass over it serves all of them."""
    steps = steps_of(energy)
    n_candidates = min(recipe.negatives, bucket.known.n_entities)
    ball = recipe.constraint == "ball"
    compiled_for = (NORM_CODES[steps.norm], OPTIMISERS[recipe.optimiser], ball)
    train_listwise = train_listwise_for(compiled_dim(energy.dim), *compiled_for)
    gamma, spread = recipe.scale * (recipe.gamma or 0), bucket.n_all / n_candidates
    numbers = (recipe.lr, recipe.scale, recipe.logistic_share, gamma, spread)
    rule = ListwiseRule(energy.dim, *compiled_for, *map(np.float32, numbers))
    tables = kernel_tables(steps, bucket.tables, bucket.state)
    own = own_weights(bucket, len(bucket.tables["relation"]))

    def train(blocks: Ids, rate: float, random: NDArray[np.uint64], room: tuple[Any, ...]) -> float:
        edges = (bucket.triples, blocks, bucket.block, bucket.known, bucket.margins, own)
        return train_listwise(*tables, *edges, rule._replace(rate=np.float32(rate)), random, *room)

    return Loop(
        train,
        lambda: (listwise_room(energy.dim, n_candidates, bucket.block),),
        bucket.block * (n_candidates + 3) * energy.dim,
    )


def fused_listwise(energy: Energy, recipe: Recipe, bucket: Bucket) -> FusedEngine:
    """The fused engine with this loss."""
    return FusedEngine(energy, recipe, bucket, listwise_loop)


class ListwiseEngine(TorchEngine):
    """The same on autograd, for every energy: a batch of triples against a pool."""

    def __init__(self, energy: Energy, recipe: Recipe, bucket: Bucket) -> None:
        super().__init__(energy, recipe, bucket)
        rows = (len(bucket.tables[n]) for n, of in energy.tables.items() if of == "relation")
        self._own = own_weights(bucket, next(rows, int(bucket.triples[:, 1].max()) + 1))

    def run(self, blocks: Ids, key: Key, threads: int, stop: StopAsked = never) -> float:
        """Train on blocks of triples, until `stop` says so; the sum of their losses."""
        rng = np.random.default_rng((*key, len(blocks)))
        if self.position is not None:
            rng.bit_generator.state = self.position["random"]
        which = self.bucket.triples_of(blocks)
        batches = np.split(which, range(self.recipe.batch, len(which), self.recipe.batch))
        with torch_threads(threads):
            total = self.step_through(batches, lambda batch: self._step_on(batch, rng), stop, key)
        if self.position is not None:
            self.position["random"] = rng.bit_generator.state
        return total

    def _step_on(self, batch: NDArray[np.int64], rng: np.random.Generator) -> float:
        """Draw sides and a pool for the triples numbered `batch`, and step."""
        known = self.bucket.known
        wanted = min(self.recipe.negatives, known.n_entities)
        pool = np.sort(rng.choice(known.n_entities, wanted, replace=False))
        rates = known.tail_rate[self.bucket.triples[batch, 1]]
        sides = (rng.random(len(batch)) < rates).astype(np.int8)
        return self.step(batch, sides, pool)

    def step(
        self, batch: NDArray[np.int64], sides: NDArray[np.int8], pool: NDArray[np.int64]
    ) -> float:
        """One step on triples whose sides and candidates are given; the sum of their losses."""
        import torch

        h, r, t = (self.tensor(column.astype(np.int64)) for column in self.bucket.triples[batch].T)
        candidates = self.tensor(pool.astype(np.int64))
        entities, relations = Touched(h, t, candidates), Touched(r)
        rows = touched_rows(entities, relations)
        leaves = self.leaves(rows)
        h, t, candidates, places = entities(h), entities(t), entities(candidates), relations(r)
        at_tail = self.tensor(sides == TAIL)
        losses = [
            self._losses(leaves, side, some, (h, places, t), batch, pool, candidates)
            for side in (0, TAIL)
            if (some := torch.nonzero(at_tail == (side == TAIL))[:, 0]).numel()
        ]
        loss = torch.cat(losses).sum()
        penalty = self.energy.penalty(leaves, h, places, t)
        if penalty is not None:
            loss = loss + penalty.sum()
        loss.backward()  # type: ignore[no-untyped-call]
        self.update(leaves, rows)
        return float(loss.detach())

    def _losses(
        self,
        leaves: dict[str, Tensor],
        side: int,
        some: Tensor,
        triples: tuple[Tensor, Tensor, Tensor],
        batch: NDArray[np.int64],
        pool: NDArray[np.int64],
        candidates: Tensor,
    ) -> Tensor:
        """The loss of each of some triples of one side, (n,)."""
        import torch
        from torch.nn.functional import softplus

        h, r, t = (ids[some] for ids in triples)
        anchor, answer = (h, t) if side == TAIL else (t, h)
        asked = torch.cat([answer[:, None], anchor[:, None], candidates.expand(len(h), -1)], dim=1)
        ends = (anchor[:, None], asked) if side == TAIL else (asked, anchor[:, None])
        energies = self.recipe.scale * self.energy.energy(leaves, ends[0], r[:, None], ends[1])
        which = batch[some.cpu().numpy()]
        left_out, own = self._left_out(which, side, pool)
        f, f_own = energies[:, :1], energies[:, 1:2]
        others = energies[:, 2:].masked_fill(self.tensor(left_out), math.inf)
        margin = self.tensor(margins_of(self.bucket.margins, which, np.full(len(which), side)))
        spread = math.log(self.bucket.n_all / len(pool))
        above = (f + margin[:, None]).expand(-1, 1)
        terms = [
            torch.zeros_like(f),
            (above - f_own).masked_fill(~self.tensor(own)[:, None], -math.inf),
            above - others + spread,
        ]
        found = torch.logsumexp(torch.cat(terms, dim=1), dim=1)
        gamma, counting = self.recipe.scale * (self.recipe.gamma or 0.0), ~self.tensor(left_out)
        outside = softplus(gamma - others).sum(1) / counting.sum(1).clamp(min=1)
        share = self.recipe.logistic_share
        found = found + share * (softplus(f[:, 0] - gamma) + outside)
        return found * counting.any(1)

    def _left_out(
        self, which: NDArray[np.int64], side: int, pool: NDArray[np.int64]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which of the pool do not count, (n, K): what is true, and the anchor; whether that does.

        The anchor counts by itself, as its relation says, unless it is an answer.
        """
        known, triples = self.bucket.known, self.bucket.triples[which]
        spans = (known.tail_spans if side == TAIL else known.head_spans)[which].astype(np.int64)
        answers = known.tails if side == TAIL else known.heads
        sizes = spans[:, 1] - spans[:, 0]
        row = np.repeat(np.arange(len(which)), sizes)
        first = np.repeat(spans[:, 0] - np.append(0, np.cumsum(sizes)[:-1]), sizes)
        true = answers[first + np.arange(len(row))]
        anchor = triples[:, 0 if side == TAIL else 2]
        own = self._own[triples[:, 1]] > 0
        own[row[true == anchor[row]]] = False
        row, true = np.append(row, np.arange(len(which))), np.append(true, anchor)
        place = np.minimum(np.searchsorted(pool, true), len(pool) - 1)
        hit = pool[place] == true
        left_out = np.zeros((len(which), len(pool)), dtype=np.bool_)
        left_out[row[hit], place[hit]] = True
        return left_out, own
