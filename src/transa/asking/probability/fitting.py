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

from transa.asking.bulk.best import GAP, NOBODY, best_new
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
    features,
    probabilities_by,
)
from transa.classification.thresholds import reliability as binned
from transa.classification.thresholds.logistic import fit_logistic
from transa.errors import InputError
from transa.graph.known import SPLITS, KnownIndex
from transa.models.fitted import FittedModel

# Questions for each place: enough for two digits, whatever the graph.
_SAMPLE = 5000
# Questions that a relation needs for a curve of its own.
_ENOUGH = 20
# How strongly weights of inputs with a standard deviation of 1 are drawn to 0, and a relation's to
# those of all relations.
_RIDGE, _TOWARDS_POOLED = 1.0, 5.0
_FOLDS = 5


@dataclass(frozen=True, eq=False)
class _Answered:
    """The best answers to n questions for one place, all arrays (n, RIVALS)."""

    gaps: Floats
    leads: Floats
    relations: NDArray[np.int64]
    truth: NDArray[np.bool_]
    given: NDArray[np.bool_]

    def part(self, rows: NDArray[np.bool_]) -> _Answered:
        return _Answered(
            self.gaps[rows],
            self.leads[rows],
            self.relations[rows],
            self.truth[rows],
            self.given[rows],
        )

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
        given = curves.probabilities(answered.gaps, answered.leads, answered.relations)
        found[place] = _reliability(answered, given)
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
    gaps, leads = features(best.energies, best.energies)
    relations = best.ids if place == "relation" else np.broadcast_to(questions[:, 1:2], gaps.shape)
    return _Answered(gaps, leads, relations, truth, best.ids != NOBODY)


def _are_true(
    truths: KnownIndex, questions: NDArray[np.int64], gap: int, ids: NDArray[np.int64]
) -> NDArray[np.bool_]:
    answers, start, stop = truths.of_gap(questions, gap)
    spans = zip(ids, start.tolist(), stop.tolist(), strict=True)
    found = [np.isin(row, answers.answers[one:end]) for row, one, end in spans]
    return np.array(found, dtype=np.bool_).reshape(ids.shape)


def _fit(answered: _Answered) -> tuple[Curve, dict[int, Curve]]:
    """The pooled curve, and those of relations."""
    scales = np.array([answered.gaps[answered.given].std(), answered.leads[:, 0].std()])
    scales[~(scales > 0)] = 1.0
    pooled = _weights(answered, scales, np.zeros(3), np.array([_RIDGE, _RIDGE, 1e-9]))
    own: dict[int, Curve] = {}
    relations, counts = np.unique(answered.relations[answered.given], return_counts=True)
    for relation in relations[counts >= _ENOUGH * RIVALS].tolist():
        given = answered.given & (answered.relations == relation)
        part = _Answered(answered.gaps, answered.leads, answered.relations, answered.truth, given)
        weights = _weights(part, scales, pooled, np.full(3, _TOWARDS_POOLED))
        if weights[0] >= 0:
            own[relation] = _curve(weights, scales)
    if pooled[0] < 0:
        # The energies tell nothing: all answers are as probable as any.
        share = (answered.truth[answered.given].sum() + 1) / (answered.given.sum() + 2)
        return Curve(float(np.log(share / (1 - share))), 0.0, 0.0), {}
    return _curve(pooled, scales), own


def _weights(answered: _Answered, scales: Floats, centre: Floats, ridge: Floats) -> Floats:
    """Of the closeness to the best, of the lead, and the intercept."""
    given = answered.given
    inputs = np.stack(
        [
            -answered.gaps[given] / scales[0],
            answered.leads[given] / scales[1],
            np.ones(np.count_nonzero(given)),
        ],
        axis=1,
    )
    truth = answered.truth[given]
    true = np.count_nonzero(truth)
    # Platt's targets stand a little inside 0 and 1, so that no weight runs away.
    targets = np.where(truth, (true + 1) / (true + 2), 1 / (len(truth) - true + 2))
    return fit_logistic(inputs, targets, centre.copy(), ridge, centre)


def _curve(weights: Floats, scales: Floats) -> Curve:
    gap, lead = (weights[:2] / scales).tolist()
    return Curve(float(weights[2]), gap, lead)


def _cross_fitted(answered: _Answered) -> Floats:
    """Probabilities of each answer by curves that were fitted on other questions."""
    found = np.zeros(answered.gaps.shape)
    fold = np.random.default_rng(0).permutation(len(answered)) % _FOLDS
    for each in range(_FOLDS):
        judged = fold == each
        rest = answered.part(~judged) if len(answered) > 1 else answered
        some = answered.part(judged)
        found[judged] = probabilities_by(*_fit(rest), some.gaps, some.leads, some.relations)
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
