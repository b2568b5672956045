"""The fused engine: Numba on the CPU, for models that bring training steps of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transa.kernels.distances import NORM_CODES
from transa.kernels.random import generator_state
from transa.kernels.threads import over_spans
from transa.kernels.training import optimisers as optimiser_kernels
from transa.kernels.training.step import Rule
from transa.kernels.training.transe import onto_sphere
from transa.models.energy import Energy, Parameters
from transa.models.fused import FusedSteps
from transa.settings.config import Plain
from transa.settings.recipe import Optimiser, Recipe
from transa.training.bucket import Bucket, Ids, Key
from transa.training.interrupt import StopAsked, never
from transa.training.losses import LOSSES
from transa.training.optimisers import State

OPTIMISERS: dict[Optimiser, int] = {
    "sgd": optimiser_kernels.SGD,
    "adagrad": optimiser_kernels.ADAGRAD,
    "adam": optimiser_kernels.ADAM,
}

# Parts of a chunk that a thread takes, one after the other.
_SPANS_EACH = 4
# Numbers that are read between two looks at whether to stop: some tenths of a second.
_SLICE = 1 << 28


def steps_of(energy: Energy) -> FusedSteps:
    """The training steps that a model brings; `engines.choose` has seen that it does."""
    steps = energy.fused_steps()
    assert steps is not None  # noqa: S101 (narrows the type)
    return steps


def rule_of(energy: Energy, recipe: Recipe) -> Rule:
    """The settings of a step as kernels take them."""
    steps, loss = steps_of(energy), LOSSES[recipe.loss].kernel
    assert loss is not None  # noqa: S101 (see `engines.choose`)
    return Rule(
        dim=energy.dim,
        negatives=recipe.negatives,
        norm=NORM_CODES[steps.norm],
        loss=loss,
        optimiser=OPTIMISERS[recipe.optimiser],
        ball=recipe.constraint == "ball",
        rate=np.float32(recipe.lr),
        adversarial=np.float32(recipe.adversarial),
        gamma=np.float32(recipe.gamma or 0),
        soft=np.float32(steps.soft),
    )


def kernel_tables(
    steps: FusedSteps, parameters: Parameters, state: State
) -> tuple[optimiser_kernels.Table, ...]:
    """The tables and their optimiser state, as a model's steps take them."""
    return tuple(table_of(name, parameters, state) for name in steps.tables)


def table_of(name: str, parameters: Parameters, state: State) -> optimiser_kernels.Table:
    """A table and its optimiser state, as kernels take them; empty what is not kept.

    A matrix is a row like any other, its weights one after the other.
    """
    no_rows, no_table = np.empty(0, np.float32), np.empty((0, 0), np.float32)

    def flat(name: str) -> NDArray[np.float32]:
        array = {**parameters, **state}.get(name)
        return no_table if array is None else array.reshape(len(array), -1)

    return optimiser_kernels.Table(
        rows=flat(name),
        sums=state.get(f"{name}.sums", no_rows),
        m=flat(f"{name}.m"),
        v=flat(f"{name}.v"),
        counts=state.get(f"{name}.counts", no_rows),
    )


@dataclass
class _Span:
    """A part of a chunk: the blocks that are left of it, and the state of its random numbers."""

    begin: int
    end: int
    random: NDArray[np.uint64]

    def to_plain(self) -> list[int]:
        return [self.begin, self.end, int(self.random[0])]

    @classmethod
    def from_plain(cls, begin: int, end: int, random: int) -> _Span:
        return cls(begin, end, np.array([random], dtype=np.uint64))


@dataclass(frozen=True)
class Loop:
    """What a thread runs.

    Attributes:
        train: trains on blocks of triples at a rate, given the state of random numbers and a room.
        room: fresh room for one thread.
        floats_a_block: numbers that a block reads.
    """

    train: Callable[[Ids, float, NDArray[np.uint64], tuple[Any, ...]], float]
    room: Callable[[], tuple[Any, ...]]
    floats_a_block: int


def corruption_loop(energy: Energy, recipe: Recipe, bucket: Bucket) -> Loop:
    """Every triple against corruptions of its own: a model's fused steps."""
    steps, rule = steps_of(energy), rule_of(energy, recipe)
    train_blocks = steps.compiled_for(*rule[:6])
    tables = kernel_tables(steps, bucket.tables, bucket.state)

    def train(blocks: Ids, rate: float, random: NDArray[np.uint64], room: tuple[Any, ...]) -> float:
        edges = (bucket.triples, blocks, bucket.block, bucket.known, bucket.margins)
        return train_blocks(*tables, *edges, rule._replace(rate=np.float32(rate)), random, *room)

    return Loop(
        train,
        lambda: steps.room(recipe.negatives, bucket.block),
        bucket.block * (recipe.negatives + 3) * max(steps.dim, steps.map_size),
    )


class FusedEngine:
    """Steps in place on the rows of a bucket, threads without locks."""

    def __init__(
        self,
        energy: Energy,
        recipe: Recipe,
        bucket: Bucket,
        make_loop: Callable[[Energy, Recipe, Bucket], Loop] = corruption_loop,
    ) -> None:
        self._bucket, self._loop = bucket, make_loop(energy, recipe, bucket)
        self._blocks_a_slice = max(1, _SLICE // self._loop.floats_a_block)
        self.position: Plain | None = None
        self.rate = recipe.lr

    def run(self, blocks: Ids, key: Key, threads: int, stop: StopAsked = never) -> float:
        """Train on blocks of triples, until `stop` says so; the sum of their losses."""
        spans = self._spans(len(blocks), key, threads)

        def work(_: int, first: int, last: int) -> float:
            return sum(self._advance(span, blocks, stop) for span in spans[first:last])

        total = sum(over_spans(work, len(spans), threads, spans_each=_SPANS_EACH))
        is_done = all(span.begin == span.end for span in spans)
        self.position = None if is_done else {"spans": [span.to_plain() for span in spans]}
        return total

    def _spans(self, n_blocks: int, key: Key, threads: int) -> list[_Span]:
        """Even parts of the blocks, each with random numbers of its own; or what is left of them.

        One thread has one part.
        """
        if self.position is not None:
            return [_Span.from_plain(*values) for values in self.position["spans"]]
        count = 1 if threads == 1 else threads * _SPANS_EACH
        bounds = [n_blocks * part // count for part in range(count + 1)]
        return [
            _Span(begin, end, generator_state(*key, number))
            for number, (begin, end) in enumerate(pairwise(bounds))
        ]

    def _advance(self, span: _Span, blocks: Ids, stop: StopAsked) -> float:
        """Go through a part, slice by slice."""
        room = self._loop.room()
        total = 0.0
        while span.begin < span.end and not stop():
            end = min(span.begin + self._blocks_a_slice, span.end)
            total += self._loop.train(blocks[span.begin : end], self.rate, span.random, room)
            span.begin = end
        return total

    def onto_sphere(self) -> None:
        """Put every entity on the unit sphere."""
        onto_sphere(self._bucket.tables["entity"])

    def synchronise(self) -> None:
        """Nothing to do: the arrays are the ones that are trained."""
