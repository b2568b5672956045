"""The work of an epoch: triples in blocks, blocks in a fresh order, blocks in chunks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transa.graph import Triples
from transa.graph.sampling import BLOCK
from transa.kernels.training.sampling import Known

# Blocks between two looks at whether to stop or to save: about a second of work
# for the fused engine.
CHUNK = 8192


@dataclass(frozen=True, eq=False)
class Work:
    """What engines train on; all arrays are in the same, shuffled order of triples."""

    triples: Triples
    known: Known

    @property
    def n_blocks(self) -> int:
        """How many blocks an epoch has."""
        return -(-len(self.triples) // BLOCK)

    @property
    def n_chunks(self) -> int:
        """How many chunks an epoch has."""
        return -(-self.n_blocks // CHUNK)

    def chunk(self, seed: int, epoch: int, chunk: int) -> NDArray[np.int64]:
        """The blocks of one chunk of one epoch."""
        order = np.random.default_rng((seed, epoch)).permutation(self.n_blocks)
        return order[chunk * CHUNK : (chunk + 1) * CHUNK]

    def triples_of(self, blocks: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of the triples in these blocks, in order."""
        numbers = (blocks[:, None] * BLOCK + np.arange(BLOCK)).ravel()
        return numbers[numbers < len(self.triples)]
