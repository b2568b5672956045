"""A bucket: triples, and the rows that they touch. A training step needs nothing more.

A graph that fits into memory is one bucket. Ids are positions among the rows at hand, so that a
part of a larger graph is trained by the same code.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from transa.graph import Triples
from transa.graph.sampling import BLOCK
from transa.kernels.margins.readings import TripleMargins
from transa.kernels.training.sampling import Known
from transa.models.energy import Parameters
from transa.training.optimisers import State

Ids: TypeAlias = NDArray[np.int64]
"""Numbers of blocks, or of triples."""

Key: TypeAlias = tuple[int, ...]
"""Where in a run this is, which random numbers depend on: the seed, the epoch, the chunk."""

# Blocks between two looks at whether to save: about a second of work for the fused engine.
CHUNK = 8192


@dataclass(frozen=True, eq=False)
class Bucket:
    """What engines train on.

    Attributes:
        tables: the rows that steps move, by table.
        state: what the optimiser keeps of the same rows.
        triples: in the order that `known` and `margins` have them in.
        known: what a corruption must not be.
        margins: of the triples, by the side that is corrupted.
        block: triples that are visited together.
        own_weights: of a graph of which this is a part, what the listwise loss asks of each
            relation; see there.
        stands_for: entities of that graph.
        trained: so many of the triples, the first ones, are trained on; the others are known. All
            of them, unless given.
    """

    tables: Parameters
    state: State
    triples: Triples
    known: Known
    margins: TripleMargins
    block: int = BLOCK
    own_weights: NDArray[np.float32] | None = None
    stands_for: int = 0
    trained: int | None = None

    @property
    def n_all(self) -> int:
        """Entities among which the right one is to be found."""
        return self.stands_for or self.known.n_entities

    @property
    def n_trained(self) -> int:
        """How many triples an epoch has."""
        return len(self.triples) if self.trained is None else self.trained

    @property
    def n_blocks(self) -> int:
        """How many blocks an epoch has."""
        return -(-self.n_trained // self.block)

    @property
    def n_chunks(self) -> int:
        """How many chunks an epoch has."""
        return -(-self.n_blocks // CHUNK)

    def chunk(self, seed: int, epoch: int, chunk: int) -> Ids:
        """The blocks of one chunk of one epoch."""
        return _order(self.n_blocks, seed, epoch)[chunk * CHUNK : (chunk + 1) * CHUNK]

    def triples_of(self, blocks: Ids) -> Ids:
        """The numbers of the triples in these blocks, in order."""
        numbers = (blocks[:, None] * self.block + np.arange(self.block)).ravel()
        return numbers[numbers < self.n_trained]


@lru_cache(maxsize=1)
def _order(n_blocks: int, seed: int, epoch: int) -> Ids:
    """The order of an epoch's blocks, drawn once for all its chunks."""
    return np.random.default_rng((seed, epoch)).permutation(n_blocks)
