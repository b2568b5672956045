"""What makes facts of different relations comparable.

Energies of one relation say nothing about those of another: a relation with many tails has them
further away. So facts are ordered by the calibrated probability of their relation, where the model
has one. Else by their **standing**, rough log-odds of being true:

    standing = slope · (midpoint − energy) + log prior + log another

The first two tell the energies of known facts from those of other pairs of the same ends,
by a linear discriminant; the prior is the share of those pairs that are known; and `another` is the
share of heads, among those with at least as many known tails as this one, that have one more: who
has a birthplace will not have another. Means of a relation with few facts are drawn towards each
other, so that it claims little.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from transa.asking.reasons.facts import Ids, pairs_of, questions_of
from transa.models.fitted import FittedModel

Values = NDArray[np.float64]

Plausibility: TypeAlias = Callable[[int, Values], Values]
"""Of a relation and energies of its triples; never rises with the energy."""

OfHeads: TypeAlias = Callable[[int, Ids], Values]
"""Of a relation and heads: what is added to the plausibility of their facts."""

# Known facts of a relation, and pairs, that its discriminant is taken from.
_SAMPLE = 1000
# A relation of fewer facts leans on all others.
_FEW = 20


@dataclass(frozen=True)
class Order:
    """What facts are ordered by, and whether that is a probability."""

    plausibility: Plausibility
    is_probability: bool
    of_heads: OfHeads | None = None

    def values(self, relation: int, heads: Ids, energies: Values) -> Values:
        """The plausibilities of a row of energies a head."""
        found = self.plausibility(relation, energies.ravel()).reshape(energies.shape)
        return found if self.of_heads is None else found + self.of_heads(relation, heads)[:, None]

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


class _Line(NamedTuple):
    """A relation's part of the standing."""

    slope: float
    midpoint: float
    log_prior: float


class _Sample(NamedTuple):
    """Mean energies and their variance, of known facts and of pairs."""

    facts: int
    known: float
    others: float
    variance: float
    log_prior: float


def by_standing(model: FittedModel) -> Order:
    """The order of a model that has no probabilities."""
    samples = [_sample(model, relation) for relation in range(model.graph.n_relations)]
    weights = [min(sample.facts, _SAMPLE) for sample in samples]
    pooled = float(np.average([sample.variance for sample in samples], weights=weights))
    lines = [_line(sample, weight, pooled) for sample, weight in zip(samples, weights, strict=True)]

    def standing(relation: int, energies: Values) -> Values:
        slope, midpoint, log_prior = lines[relation]
        return slope * (midpoint - energies) + log_prior

    return Order(standing, is_probability=False, of_heads=partial(_another, model))


def _sample(model: FittedModel, relation: int) -> _Sample:
    rng = np.random.default_rng(0)
    heads, tails = pairs_of(model.known, relation)
    if len(heads) == 0:
        return _Sample(0, 0.0, 0.0, 0.0, 0.0)
    domain, range_ = np.unique(heads), np.unique(tails)
    drawn = rng.choice(len(heads), min(_SAMPLE, len(heads)), replace=False)
    known = model.energies(heads[drawn], relation, tails[drawn]).astype(np.float64)
    pairs = rng.choice(domain, _SAMPLE), rng.choice(range_, _SAMPLE)
    others = model.energies(pairs[0], relation, pairs[1]).astype(np.float64)
    variance = float(known.var() + others.var()) / 2
    log_prior = math.log(len(heads) / (len(domain) * len(range_) + 1))
    return _Sample(len(heads), float(known.mean()), float(others.mean()), variance, log_prior)


def _line(sample: _Sample, weight: int, pooled: float) -> _Line:
    known = (sample.known * weight + sample.others * _FEW) / (weight + _FEW)
    variance = (sample.variance * weight + pooled * _FEW) / (weight + _FEW)
    # Of energies that are all the same nothing can be told.
    slope = max(0.0, sample.others - known) / variance if variance > 0 else 0.0
    return _Line(slope, (sample.others + known) / 2, sample.log_prior)


def _another(model: FittedModel, relation: int, heads: Ids) -> Values:
    """Log of the share of heads with one tail more, among those with as many as each has."""
    answers, n = model.known.tails, model.graph.n_entities
    first, last = questions_of(answers, relation, n)
    # How many heads have at least 0, 1, 2, ... tails; of those that have none nothing is known.
    at_least = np.bincount(np.diff(answers.first[first : last + 1]), minlength=2)
    at_least = np.append(np.cumsum(at_least[::-1])[::-1], 0)
    start, stop = answers.spans(relation * np.int64(n) + heads)
    has = stop - start
    found: Values = np.log((at_least[has + 1] + 1) / (at_least[has] + 2))
    return np.where(has == 0, 0.0, found)
