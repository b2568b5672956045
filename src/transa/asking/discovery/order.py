"""What makes facts of different relations comparable.

Energies of one relation say nothing about those of another: a relation with many tails has them
further away. So facts are ordered by **probability** where the model has any:

    probability = p · another

p is that of `predict_tails`, which takes for granted that some tail is missing. Here nobody says
so, and `another` is how likely that is: the share of heads with one more known tail, among those
with at least as many as this one has. Who has a birthplace will not have another.

Without probabilities facts are ordered by their **standing**, rough log-odds of being true:

    standing = slope · (midpoint − energy) + log prior + log another

The first two tell the energies of known facts from those of other pairs of the same heads and
tails, by a linear discriminant; the prior is the share of those pairs that are known. The means of
a relation with few facts are drawn towards each other, so that it claims little.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from transa.asking.bulk.best import best_new
from transa.asking.probability.curves import RIVALS, Probabilities
from transa.asking.reasons.facts import Ids, pairs_of, questions_of
from transa.graph.known import GAP
from transa.models.fitted import FittedModel

Values = NDArray[np.float64]

Plausibility: TypeAlias = Callable[[int, Ids, Values], Values]
"""Of a relation, heads, and a row of energies of tails for each head; of one head and relation it
never rises with the energy."""

# Known facts of a relation, and pairs, that its discriminant is taken from.
_SAMPLE = 1000
# A relation of fewer facts leans on all others.
_FEW = 20


@dataclass(frozen=True)
class Order:
    """What facts are ordered by, and whether that is a probability."""

    plausibility: Plausibility
    is_probability: bool


def by_probability(model: FittedModel, probabilities: Probabilities, threads: int = 0) -> Order:
    """The order of a model that can tell how probable its answers are."""

    def probability(relation: int, heads: Ids, energies: Values) -> Values:
        questions = np.stack([heads, np.full_like(heads, relation), np.full_like(heads, GAP)], 1)
        rivals = best_new(model, questions, RIVALS, threads=threads).energies
        relations = np.full(energies.shape, relation)
        _, start, stop = model.known.of_gap(questions, 2)
        found = probabilities.of_answers("tail", energies, rivals, stop - start, relations)
        return found * _another(model, relation, heads)[:, None]

    return Order(probability, is_probability=True)


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

    def standing(relation: int, heads: Ids, energies: Values) -> Values:
        slope, midpoint, log_prior = lines[relation]
        of_heads = np.log(_another(model, relation, heads))[:, None]
        return slope * (midpoint - energies) + log_prior + of_heads

    return Order(standing, is_probability=False)


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
    """The share of heads with one known tail more, among those with at least as many as each has.

    Of a head that has none nothing can be told: 1.
    """
    answers, n = model.known.tails, model.graph.n_entities
    first, last = questions_of(answers, relation, n)
    # How many heads have at least 0, 1, 2, ... tails.
    at_least = np.bincount(np.diff(answers.first[first : last + 1]), minlength=2)
    at_least = np.append(np.cumsum(at_least[::-1])[::-1], 0)
    start, stop = answers.spans(relation * np.int64(n) + heads)
    has = stop - start
    return np.where(has == 0, 1.0, (at_least[has + 1] + 1) / (at_least[has] + 2))
