"""One set of triples made three."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transa.errors import ConfigError, checked_seed
from transa.graph.building.duplicates import copies_and_originals
from transa.graph.graph import Triples
from transa.graph.sorting import packed


@dataclass(frozen=True)
class Fractions:
    """The shares of train, valid and test; they sum to 1, and train's is not 0."""

    train: float
    valid: float
    test: float

    @property
    def held_out(self) -> float:
        """The share of valid and test together."""
        return self.valid + self.test


def fractions_of(shares: Sequence[float]) -> Fractions:
    """The fractions that a user wrote as three numbers."""
    try:
        train, valid, test = (float(share) for share in shares)
        sums_to_one = math.isclose(train + valid + test, 1, abs_tol=1e-6)
    except (TypeError, ValueError, OverflowError):
        sums_to_one = False
    if not (sums_to_one and train > 0 and min(valid, test) >= 0):
        raise ConfigError(
            f"split is the shares of train, valid and test, as in (0.8, 0.1, 0.1): they sum to 1 "
            f"and train has some; found {shares!r:.100}"
        )
    return Fractions(train, valid, test)


@dataclass(frozen=True)
class Split:
    """Three parts of the triples that were split, each in the old order.

    `short_by` is how many triples fewer than asked for valid and test have, copies not counted.
    """

    train: Triples
    valid: Triples
    test: Triples
    short_by: int


def split_triples(
    triples: Triples, n_entities: int, n_relations: int, fractions: Fractions, seed: int
) -> Split:
    """Split at random so that every entity and relation of valid and test occurs in train.

    Triples are drawn one by one, and one that train cannot spare is passed over. So the split has
    the fractions asked for, to the rounding, or else train cannot spare a single triple more; valid
    and test then share what could be had. Copies of a triple stay together: none is learnt from in
    one part and asked for in another.
    """
    copies, originals = copies_and_originals(packed(triples))
    is_original = np.ones(len(triples), dtype=np.bool_)
    is_original[copies] = False
    drawn = _draw(triples[is_original], n_entities, n_relations, fractions, seed)
    parts = np.empty(len(triples), dtype=np.uint8)
    parts[is_original] = drawn
    parts[copies] = parts[originals]
    train, valid, test = (triples.take(np.flatnonzero(parts == part), axis=0) for part in range(3))
    short_by = _wanted(len(drawn), fractions) - int(np.count_nonzero(drawn))
    return Split(train, valid, test, short_by)


def _wanted(n_triples: int, fractions: Fractions) -> int:
    return round(n_triples * fractions.held_out)


def _draw(
    triples: Triples, n_entities: int, n_relations: int, fractions: Fractions, seed: int
) -> NDArray[np.uint8]:
    """For each of the distinct triples 0 (train), 1 (valid) or 2 (test)."""
    # Numba is loaded only where a graph is split.
    from transa.kernels.splitting import hold_out

    heads, relations, tails = triples.T
    held_out = hold_out(
        triples,
        np.random.default_rng(checked_seed(seed)).permutation(len(triples)),
        np.bincount(heads, minlength=n_entities)
        + np.bincount(tails[tails != heads], minlength=n_entities),
        np.bincount(relations, minlength=n_relations),
        _wanted(len(triples), fractions),
    )
    n_valid = round(len(held_out) * fractions.valid / fractions.held_out) if len(held_out) else 0
    parts = np.zeros(len(triples), dtype=np.uint8)
    parts[held_out[:n_valid]] = 1
    parts[held_out[n_valid:]] = 2
    return parts
