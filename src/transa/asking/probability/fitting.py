"""Probabilities fitted on the validation split, and held against what they were not fitted on.

Each validation triple asks three questions: for its head, its relation and its tail. The ten best
candidates of each are labelled: true is what the validation split has. What train and test have is
no candidate, just as all that a graph has is none when a user asks; so the test split, asked while
train and valid are left out, is met as the validation split was.

A curve is a logistic regression. Those of single relations are drawn towards the pooled one, so
that few questions move them little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transa.asking.bulk.best import NOBODY, best_new
from transa.asking.probability.curves import (
    PLACES,
    RIVALS,
    Bin,
    Curve,
    Curves,
    Floats,
    Place,
    Probabilities,
    Reliability,
    Traits,
    probabilities_by,
    traits_of,
)
from transa.classification.thresholds import reliability as binned
from transa.classification.thresholds.logistic import fit_logistic
from transa.errors import InputError
from transa.graph.known import GAP, SPLITS, KnownIndex
from transa.models.fitted import FittedModel

# Questions for each place: enough for two digits, whatever the graph.
_SAMPLE = 5000
# Questions that a relation needs for a curve of its own.
_ENOUGH = 20
# How strongly weights of inputs with a standard deviation of 1 are drawn to 0 (but the intercept),
# and a relation's to those of all relations.
_FREE, _TOWARDS_POOLED = np.array([1.0] * 5 + [1e-9]), np.full(6, 5.0)
# Inputs that rise with how good an answer is beside the others of its question.
_RISING = 2
_FOLDS = 5


@dataclass(frozen=True, eq=False)
class _Answered:
    """The best answers to n questions for one place, all arrays (n, RIVALS)."""

    traits: Traits
    truth: NDArray[np.bool_]
    given: NDArray[np.bool_]

    def part(self, rows: NDArray[np.bool_]) -> _Answered:
        return _Answered(self.traits[rows], self.truth[rows], self.given[rows])

    def __len__(self) -> int:
        return len(self.truth)


def fit_probabilities(
    model: FittedModel, *, seed: int = 0, threads: int = 0
) -> Probabilities | None:
    """Fit the curves of a model on its validation split; None if there is no such split."""
    if len(model.graph.valid) == 0:
        return None
    fitted = {}
    for place in PLACES:
        answered = _answered(model, "valid", place, seed, threads)
        pooled, own = _fit(answered)
        fitted[place] = Curves(pooled, own, _reliability(answered, _cross_fitted(answered)))
    return Probabilities(**fitted)


def measure_probabilities(
    model: FittedModel,
    probabilities: Probabilities,
    split: str = "test",
    *,
    seed: int = 0,
    threads: int = 0,
) -> dict[Place, Reliability]:
    """How the probabilities of answers compare with the share that a split has, place by place."""
    if len(model.graph.split(split)) == 0:
        raise InputError(
            f"graph {model.graph.name!r} has no {split} triples to hold probabilities against"
        )
    found: dict[Place, Reliability] = {}
    for place in PLACES:
        answered = _answered(model, split, place, seed, threads)
        curves = probabilities.of_place(place)
        found[place] = _reliability(answered, curves.probabilities(answered.traits))
    return found


def _answered(model: FittedModel, split: str, place: Place, seed: int, threads: int) -> _Answered:
    """Ask for one place of a split's triples, with only the other splits known."""
    graph, gap = model.graph, PLACES.index(place)
    triples = graph.split(split)
    others = np.concatenate([graph.split(other) for other in SPLITS if other != split])
    known = KnownIndex(others, graph.n_entities, graph.n_relations)
    questions = triples.astype(np.int64)
    questions[:, gap] = GAP
    questions = np.unique(questions, axis=0)
    if len(questions) > _SAMPLE:
        drawn = np.random.default_rng((seed, gap)).choice(len(questions), _SAMPLE, replace=False)
        questions = questions[np.sort(drawn)]
    best = best_new(model, questions, RIVALS, known=known, threads=threads)
    truths = KnownIndex(triples, graph.n_entities, graph.n_relations, (len(triples),))
    truth = _are_true(truths, questions, gap, best.ids)
    _, start, stop = known.of_gap(questions, gap)
    relations = best.ids if place == "relation" else np.repeat(questions[:, 1:2], RIVALS, axis=1)
    traits = traits_of(best.energies, best.energies, stop - start, relations)
    return _Answered(traits, truth, best.ids != NOBODY)


def _are_true(
    truths: KnownIndex, questions: NDArray[np.int64], gap: int, ids: NDArray[np.int64]
) -> NDArray[np.bool_]:
    answers, start, stop = truths.of_gap(questions, gap)
    spans = zip(ids, start.tolist(), stop.tolist(), strict=True)
    found = [np.isin(row, answers.answers[one:end]) for row, one, end in spans]
    return np.array(found, dtype=np.bool_).reshape(ids.shape)


def _fit(answered: _Answered) -> tuple[Curve, dict[int, Curve]]:
    """The pooled curve, and those of relations."""
    traits, given = answered.traits, answered.given
    inputs = np.concatenate([traits.inputs, np.ones((*given.shape, 1))], axis=-1)
    # Of order 1, lest rounding spoil the steps; the last is the intercept.
    scales = inputs[given].std(axis=0)
    scales[~(scales > 0)] = 1.0
    inputs /= scales
    pooled = _weights(inputs[given], answered.truth[given], np.zeros(len(scales)), _FREE)
    own: dict[int, Curve] = {}
    relations, counts = np.unique(traits.relations[given], return_counts=True)
    for relation in relations[counts >= _ENOUGH * RIVALS].tolist():
        rows = given & (traits.relations == relation)
        weights = _weights(inputs[rows], answered.truth[rows], pooled, _TOWARDS_POOLED)
        own[relation] = Curve(*(weights / scales).tolist())
    return Curve(*(pooled / scales).tolist()), own


def _weights(inputs: Floats, truth: NDArray[np.bool_], centre: Floats, ridge: Floats) -> Floats:
    true = np.count_nonzero(truth)
    # Platt's targets stand a little inside 0 and 1, so that no weight runs away.
    targets = np.where(truth, (true + 1) / (true + 2), 1 / (len(truth) - true + 2))
    weights = fit_logistic(inputs, targets, centre.copy(), ridge, centre)
    while (weights[:_RISING] < 0).any():
        # What would make the better answer the less probable has no say.
        kept = np.ones(len(weights), dtype=np.bool_)
        kept[:_RISING] = weights[:_RISING] > 0
        inputs, centre = inputs * kept, centre * kept
        weights = fit_logistic(inputs, targets, centre.copy(), ridge, centre) * kept
    return weights


def _cross_fitted(answered: _Answered) -> Floats:
    """Probabilities of each answer by curves that were fitted on other questions."""
    found = np.zeros(answered.given.shape)
    fold = np.random.default_rng(0).permutation(len(answered)) % _FOLDS
    for each in range(_FOLDS):
        judged = fold == each
        rest = answered.part(~judged) if len(answered) > 1 else answered
        found[judged] = probabilities_by(*_fit(rest), answered.part(judged).traits)
    return found


def _reliability(answered: _Answered, probabilities: Floats) -> Reliability:
    given = np.where(answered.given, probabilities, np.nan)
    every = binned.Reliability.of(given.ravel(), answered.truth.ravel())
    first = binned.Reliability.of(given[:, 0], answered.truth[:, 0])
    if every is None or first is None:
        # No question has a candidate: nothing was said, and nothing was wrong.
        return Reliability(len(given), 0.0, 0.0, ())
    bins = (Bin(**each) for each in every.to_dict()["bins"])
    return Reliability(len(given), every.expected_error, first.expected_error, tuple(bins))
