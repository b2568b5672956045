"""What is known round a triple: the internal spheres of its head and its tail.

The training triples that h has under r make its internal sphere there; those that t has make t's.
Of each sphere, two numbers: how many triples are in it, as log(1 + n), and how high their energies
are on average. Energies are told from the relation's mean, so that relations compare; an empty
sphere has that mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transa.graph import Triples
from transa.models.fitted import FittedModel

Floats = NDArray[np.float64]

# Columns of triples.
_HEADS, _TAILS = 0, 2


@dataclass(frozen=True, eq=False)
class Surroundings:
    """The internal spheres of every entity and relation.

    Attributes:
        means: the mean training energy of each relation.
        heads: the spheres anchored at heads.
        tails: those anchored at tails.
    """

    means: Floats
    heads: _Spheres
    tails: _Spheres

    @classmethod
    def of(cls, model: FittedModel) -> Surroundings:
        """From a model and its training triples."""
        train, n_relations = model.graph.train, model.graph.n_relations
        found = model.energies(*train.T).astype(np.float64)
        counts = np.bincount(train[:, 1], minlength=n_relations)
        sums = np.bincount(train[:, 1], found, n_relations)
        # A relation that train does not have is as the mean of all.
        means = np.where(counts > 0, sums / np.maximum(counts, 1), found.mean())
        above = found - means[train[:, 1]]
        return cls(
            means,
            _Spheres.of(train[:, _HEADS], train[:, 1], above, n_relations),
            _Spheres.of(train[:, _TAILS], train[:, 1], above, n_relations),
        )

    def around(self, triples: Triples) -> Floats:
        """φ, (n, 4): size and radius of the head's sphere, then of the tail's."""
        head, relation, tail = triples.T
        found: Floats = np.concatenate(
            [self.heads.look_up(head, relation), self.tails.look_up(tail, relation)], axis=1
        )
        return found


@dataclass(frozen=True, eq=False)
class _Spheres:
    """By (anchor, relation), as one sorted key; what is not among the keys is empty."""

    n_relations: int
    keys: NDArray[np.int64]
    sizes: Floats
    radii: Floats

    @classmethod
    def of(
        cls,
        anchors: NDArray[np.int32],
        relations: NDArray[np.int32],
        above: Floats,
        n_relations: int,
    ) -> _Spheres:
        every = anchors.astype(np.int64) * n_relations + relations
        keys, sphere = np.unique(every, return_inverse=True)
        counts = np.bincount(sphere)
        return cls(n_relations, keys, np.log1p(counts), np.bincount(sphere, above) / counts)

    def look_up(self, anchors: NDArray[np.int32], relations: NDArray[np.int32]) -> Floats:
        wanted = anchors.astype(np.int64) * self.n_relations + relations
        place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        numbers = np.stack([self.sizes[place], self.radii[place]], axis=1)
        return np.where((self.keys[place] == wanted)[:, None], numbers, 0.0)
