"""What a training step is told, and the room that it works in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from transa.kernels.memory import apart
from transa.kernels.training.sampling import empty_pool
from transa.kernels.training.tiles import GROUP, padded


class Rule(NamedTuple):
    """What a step does, as numbers: the constants of the sibling modules.

    A kernel that knows the first six when it is compiled has loops of known length and no choices;
    of sizes that are not common it knows none.
    `soft` weighs the soft constraints of a model that has any.
    """

    dim: int
    negatives: int
    norm: int
    loss: int
    optimiser: int
    ball: bool
    rate: np.float32
    adversarial: np.float32
    gamma: np.float32
    soft: np.float32


class Scratch(NamedTuple):
    """Room for the steps of one thread."""

    q: np.ndarray
    q_gradient: np.ndarray
    energies: np.ndarray
    weights: np.ndarray
    slopes: np.ndarray
    steps: np.ndarray
    pool: np.ndarray
    negatives: np.ndarray
    sides: np.ndarray


def scratch(dim: int, k: int, block_size: int = 0) -> Scratch:
    """Fresh room for vectors of `dim`, `k` negatives a triple, and blocks of triples."""
    return Scratch(
        q=apart(dim),
        q_gradient=apart(dim),
        energies=apart(k),
        weights=apart(k),
        slopes=apart(k),
        steps=apart(k),
        pool=empty_pool(k),
        negatives=apart((block_size, k), np.int32),
        sides=apart(block_size, np.int8),
    )


class ListwiseRule(NamedTuple):
    """What a step does; a kernel knows the first four when it is compiled, or but the first.

    Attributes:
        dim: of the vectors.
        norm: of the energy.
        optimiser: of the sibling module's.
        ball: whether entities are kept in the unit ball.
        rate: learning rate.
        scale: what energies are multiplied by before they are compared.
        share: λ, the weight of the logistic term.
        gamma: γ, of scaled energies.
        spread: c, how many entities each candidate stands for.
    """

    dim: int
    norm: int
    optimiser: int
    ball: bool
    rate: np.float32
    scale: np.float32
    share: np.float32
    gamma: np.float32
    spread: np.float32


class ListwiseRoom(NamedTuple):
    """Room for the blocks of one thread.

    Attributes:
        pool: int32 (K,), the candidates.
        tile: vectors of the block: the pool's first, then every other entity and relation in it.
        gradients: of the tile's rows.
        ids: whose row it is: an entity's, or n_entities + a relation's.
        keys: a hash table of ids, -1 where free.
        places: the row of each key.
        queries: one a triple.
        q_gradients: of the queries.
        energies: (triples, K).
        weights: what candidates and queries pull at each other with.
        totals: (K,), sums over the queries.
        positives: energies of the answers.
        slopes: their dL/df.
        own: energies of the anchors, as candidates of their own queries.
        own_shares: w, how much they count.
        own_weights: their −dL/df.
        rows: int32 (triples, 3), anchor, relation and answer as rows of the tile.
        sides: which is corrupted.
    """

    pool: np.ndarray
    tile: np.ndarray
    gradients: np.ndarray
    ids: np.ndarray
    keys: np.ndarray
    places: np.ndarray
    queries: np.ndarray
    q_gradients: np.ndarray
    energies: np.ndarray
    weights: np.ndarray
    totals: np.ndarray
    positives: np.ndarray
    slopes: np.ndarray
    own: np.ndarray
    own_shares: np.ndarray
    own_weights: np.ndarray
    rows: np.ndarray
    sides: np.ndarray


def listwise_room(dim: int, candidates: int, block_size: int) -> ListwiseRoom:
    """Fresh room for blocks of so many triples and a pool of so many candidates."""
    width, n, k = padded(dim), padded(block_size, GROUP), padded(candidates, GROUP)
    most = k + 3 * n
    slots = 1 << (4 * most - 1).bit_length()
    return ListwiseRoom(
        pool=apart(candidates, np.int32),
        tile=apart((most, width)),
        gradients=apart((most, width)),
        ids=apart(most, np.int64),
        keys=apart(slots, np.int64),
        places=apart(slots, np.int32),
        queries=apart((n, width)),
        q_gradients=apart((n, width)),
        energies=apart((n, k)),
        weights=apart((n, k)),
        totals=apart(k),
        positives=apart(n),
        slopes=apart(n),
        own=apart(n),
        own_shares=apart(n),
        own_weights=apart(n),
        rows=apart((n, 3), np.int32),
        sides=apart(n, np.int8),
    )
