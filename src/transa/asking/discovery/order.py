"""What makes facts of different relations comparable.

Energies of one relation say nothing about those of another: a relation with many tails has them
further away. So facts are ordered by the calibrated probability of their relation, where the model
has one. Else by their **standing**: how many standard deviations a fact's energy lies below the
mean energy of the known facts of its relation, of which a sample is taken. 0 is as plausible as
what is known, below 0 less so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from transa.asking.reasons.facts import pairs_of
from transa.models.fitted import FittedModel

Values = NDArray[np.float64]

Plausibility: TypeAlias = Callable[[int, Values], Values]
"""Of a relation and energies of its triples; never rises with the energy."""

# Known facts of a relation that its mean and spread are taken from.
_SAMPLE = 1000
# A relation of fewer facts leans on the spread of all.
_FEW = 20


@dataclass(frozen=True)
class Order:
    """What facts are ordered by, and whether that is a probability."""

    plausibility: Plausibility
    is_probability: bool

    def worst_energy(self, relation: int, least: float) -> float:
        """The highest energy that is still so plausible, or a little higher; −∞ if none is."""
        if least == -math.inf:
            return math.inf

        def enough(energy: float) -> bool:
            return bool(self.plausibility(relation, np.array([energy]))[0] >= least)

        low, high = -1e6, 1e6
        if not enough(low):
            return -math.inf
        if enough(high):
            return math.inf
        while high - low > 1e-6 * max(1.0, abs(low)):
            middle = (low + high) / 2
            low, high = (middle, high) if enough(middle) else (low, middle)
        return high


def by_standing(model: FittedModel) -> Order:
    """The order of a model that has no probabilities."""
    rng = np.random.default_rng(0)
    n = model.graph.n_relations
    mean, spread, count = np.zeros(n), np.zeros(n), np.zeros(n)
    for relation in range(n):
        heads, tails = pairs_of(model.known, relation)
        if len(heads) > _SAMPLE:
            drawn = rng.choice(len(heads), _SAMPLE, replace=False)
            heads, tails = heads[drawn], tails[drawn]
        if len(heads):
            energies = model.energies(heads, relation, tails).astype(np.float64)
            mean[relation], spread[relation] = energies.mean(), energies.var()
            count[relation] = len(heads)
    pooled = float(np.average(spread, weights=count)) if count.sum() else 1.0
    deviation = np.sqrt((spread * count + pooled * _FEW) / (count + _FEW))
    deviation[deviation == 0] = 1.0

    def standing(relation: int, energies: Values) -> Values:
        found: Values = (mean[relation] - energies) / deviation[relation]
        return found

    return Order(standing, is_probability=False)
