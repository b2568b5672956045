"""Thresholds that move with the entities of a triple.

Socher's threshold is one for a relation. Here a triple is held true when

    f_r(h, t) < θ_r + c_r · φ(h, r, t),

φ being what is known round the triple: of the head and of the tail, how many training triples it
has in that place of r, and how far they reach (see `surroundings`); if names are to
have a say, also what entities of like names would say (`unseen.namesakes`). A tail that
thousands have is believed at a distance at which one that few have is not; an entity whose known
triples have high energies may have another. That is the paper's own thought (entities differ in
their spheres, so no one size fits all), carried from the margins of training to the thresholds of
judging.

The weights c_r come from a logistic regression of the validation labels on (−f, φ), divided by the
weight of −f; then θ_r is fitted as ever, on f − c_r · φ. A relation with fewer than `ENOUGH` true
or false validation triples, too few for weights of its own, has those fitted on all relations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transa.classification.thresholds.calibration import well_known
from transa.classification.thresholds.logistic import fit_logistic

Floats = NDArray[np.float64]
Weights = tuple[float, ...]

# On inputs with a standard deviation of 1: enough to hold weights that the labels say nothing of.
_RIDGE = 1.0


@dataclass(frozen=True)
class Shifts:
    """How far thresholds move.

    Attributes:
        pooled: the weights c of relations that have none of their own.
        own: by relation id.
    """

    pooled: Weights
    own: Mapping[int, Weights]

    def of(self, surroundings: Floats, relations: NDArray[np.integer]) -> Floats:
        """c_r · φ of each triple, given φ (n, k)."""
        moved: Floats = surroundings @ np.array(self.pooled)
        for relation, weights in self.own.items():
            rows = relations == relation
            moved[rows] = surroundings[rows] @ np.array(weights)
        return moved


def fit_shifts(
    energies: Floats,
    surroundings: Floats,
    relations: NDArray[np.integer],
    truth: NDArray[np.bool_],
) -> Shifts:
    """Fit the weights on n labelled validation triples, given φ (n, k).

    Their energies are measured from a zero that makes relations comparable; infinite where there is
    none, which leaves the triple out.
    """
    usable = np.isfinite(energies)
    energies, surroundings = energies[usable], surroundings[usable]
    relations, truth = relations[usable], truth[usable]
    own = {
        relation: _weights(energies[rows], surroundings[rows], truth[rows])
        for relation, rows in well_known(relations, truth)
    }
    return Shifts(_weights(energies, surroundings, truth), own)


def _weights(energies: Floats, surroundings: Floats, truth: NDArray[np.bool_]) -> Weights:
    """Weights of φ in units of energy; all 0 where the energy itself tells nothing."""
    inputs = np.column_stack([-energies, surroundings]).astype(np.float64)
    scales = inputs.std(axis=0)
    scales[scales == 0] = 1
    inputs = np.column_stack([(inputs - inputs.mean(axis=0)) / scales, np.ones(len(inputs))])
    # The last is the intercept, which is free.
    ridge = np.append(np.full(len(scales), _RIDGE), 1e-9)
    fitted = fit_logistic(inputs, truth.astype(np.float64), np.zeros(len(ridge)), ridge)[:-1]
    of_energy, *of_surroundings = (fitted / scales).tolist()
    if of_energy <= 0:
        return (0.0,) * len(of_surroundings)
    return tuple(weight / of_energy for weight in of_surroundings)
