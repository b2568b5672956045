"""A threshold on the energy for each relation (Socher et al. 2013, section 4.2).

A triple is held true when its energy is below its relation's threshold. That threshold is the one
that judges most of the relation's labelled validation triples rightly.

What the protocol leaves open is decided so:

- Between two neighbouring energies every threshold judges alike; theirs is the midpoint. What holds
  nothing true is the lowest energy itself, what holds everything true the next number above the
  highest.
- Of equally accurate thresholds, the middle one is taken (the lower of two in the middle).
- A relation without validation triples has the pooled threshold: the one fitted on the triples of
  all relations together.
- A triple without an energy (infinity, where an entity has no vector) is never held true, whatever
  the threshold, so that it has no say in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transa.errors import InputError

Energies = NDArray[np.floating]
Truth = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Thresholds:
    """One threshold a relation.

    Attributes:
        pooled: fitted on all relations together; for those that have nothing of their own.
        values: per relation id.
        counts: validation triples per relation id, those without an energy left out.
    """

    pooled: float
    values: NDArray[np.float64]
    counts: NDArray[np.int64]

    def margins(self, energies: Energies, relations: NDArray[np.integer]) -> NDArray[np.float64]:
        """How far below its threshold each energy is; a triple is held true where positive."""
        below: NDArray[np.float64] = self.values[relations] - energies
        return below


def fit_thresholds(
    energies: Energies, relations: NDArray[np.integer], truth: Truth, n_relations: int
) -> Thresholds:
    """The most accurate threshold for each relation, in O(n log n), from labelled triples.

    Raises:
        InputError: no triple has an energy (that is not infinite), or one is NaN.
    """
    if np.isnan(energies).any():
        raise InputError("some energies are not a number, so there are no thresholds")
    has_energy = np.isfinite(energies)
    if not has_energy.any():
        raise InputError("thresholds need labelled validation triples of entities that were learnt")
    energies, relations, truth = energies[has_energy], relations[has_energy], truth[has_energy]
    pooled = _best_threshold(energies, truth)
    values = np.full(n_relations, pooled)
    counts = np.bincount(relations, minlength=n_relations)
    by_relation = np.argsort(relations, kind="stable")
    for rows in np.split(by_relation, np.cumsum(counts)[:-1]):
        if len(rows):
            values[relations[rows[0]]] = _best_threshold(energies[rows], truth[rows])
    return Thresholds(pooled, values, counts)


def cross_fitted_accuracy(
    energies: Energies,
    relations: NDArray[np.integer],
    truth: Truth,
    half: NDArray[np.bool_],
    n_relations: int,
) -> float:
    """How often thresholds fitted on either half are right on the other.

    Thresholds fitted on the triples that they judge flatter a model with many relations.
    """
    right = 0
    for fitted_on in (half, ~half):
        judged = ~fitted_on
        thresholds = fit_thresholds(
            energies[fitted_on], relations[fitted_on], truth[fitted_on], n_relations
        )
        held = thresholds.margins(energies[judged], relations[judged]) > 0
        right += int(np.count_nonzero(held == truth[judged]))
    return right / len(truth)


def _best_threshold(energies: Energies, truth: Truth) -> float:
    order = np.argsort(energies, kind="stable")
    ordered, truth = energies[order], truth[order]
    # Cut i holds the i lowest energies true: its right judgements, less those of cut 0.
    gains = np.append(0, np.cumsum(np.where(truth, 1, -1)))
    # Equal energies are judged alike, so that no cut goes between them.
    possible = np.concatenate([[True], ordered[1:] > ordered[:-1], [True]])
    best = np.flatnonzero(possible & (gains == gains[possible].max()))
    return _threshold_of_cut(ordered, int(best[(len(best) - 1) // 2]))


def _threshold_of_cut(ordered: Energies, cut: int) -> float:
    """A threshold that is above the `cut` lowest energies and not above the others.

    A number of the energies' own precision, so that it judges alike in that and in any higher one.
    """
    if cut == 0:
        return float(ordered[0])
    if cut == len(ordered):
        return float(np.nextafter(ordered[-1], ordered.dtype.type(np.inf)))
    below, above = ordered[cut - 1], ordered[cut]
    middle = below / 2 + above / 2
    # Two neighbouring numbers have nothing between them.
    return float(middle if middle > below else above)
