"""From the energies of a question's answers to their probabilities.

An answer is one among many candidates, so that its energy alone says little: it is held against
those of its rivals. With E₁ the lowest energy of all candidates of the question and E₁₀ the tenth,

    p = 1 / (1 + exp(−(intercept − gap · (E − E₁) + lead · (E₁₀ − E₁)))),

so that an answer is the more probable the closer it is to the best, and the further the best are
ahead of the rest. Every relation has a curve of its own, as far as its validation triples bear it
out, for each of the three places that can be asked for.

What p means: questions like those of held-out triples, each of which has an answer that the graph
lacks; of the answers given with probability p, the share p is a held-out triple. A true answer that
no split has counts as false, so that p is, if anything, too low.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Place: TypeAlias = Literal["head", "relation", "tail"]

PLACES: tuple[Place, Place, Place] = ("head", "relation", "tail")
"""In the order of the columns of a triple."""

RIVALS = 10
"""The candidate that leads are measured to; the last one where there are fewer."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Curve:
    """Three weights; `gap` is not negative, so that the better answer is not the less probable."""

    intercept: float
    gap: float
    lead: float

    def probabilities(self, gaps: Floats, leads: Floats) -> Floats:
        """Of E − E₁ and E₁₀ − E₁."""
        logits = self.intercept - self.gap * gaps + self.lead * leads
        # As a tanh, which does not overflow.
        p: Floats = 0.5 * (1 + np.tanh(0.5 * logits))
        return p


@dataclass(frozen=True)
class Bin:
    """Answers of about the same probability: how many, the mean, and the share that is true."""

    count: int
    predicted: float
    observed: float


@dataclass(frozen=True)
class Reliability:
    """How far probabilities can be taken at their word, on answers that they were not fitted on.

    Attributes:
        questions: for this place that were asked; the ten best answers of each are in the bins.
        error: the mean distance between probability and share over the bins, weighted by their
            size (the expected calibration error).
        error_of_first: the same over the first answers alone, where probabilities are highest.
        bins: of probabilities 0 to .1, .1 to .2 and so on; those there are.
    """

    questions: int
    error: float
    error_of_first: float
    bins: tuple[Bin, ...]


@dataclass(frozen=True)
class Curves:
    """The curves of one place.

    Attributes:
        pooled: of all relations together.
        own: by relation id, where there are enough questions.
        reliability: how far they can be trusted; measured by cross-validation.
    """

    pooled: Curve
    own: Mapping[int, Curve]
    reliability: Reliability

    def probabilities(self, gaps: Floats, leads: Floats, relations: NDArray[np.integer]) -> Floats:
        """One each, of arrays of one shape."""
        return probabilities_by(self.pooled, self.own, gaps, leads, relations)


@dataclass(frozen=True)
class Probabilities:
    """What a model needs to tell how probable its answers are; kept in the model folder."""

    head: Curves
    relation: Curves
    tail: Curves

    def of_place(self, place: Place) -> Curves:
        """The curves of one place."""
        curves: Curves = getattr(self, place)
        return curves

    def of_answers(
        self,
        place: Place,
        energies: NDArray[np.floating],
        rivals: NDArray[np.floating],
        relations: NDArray[np.integer],
    ) -> Floats:
        """The probabilities of answers, (n, k), to n questions for one place.

        Args:
            place: what is asked for.
            energies: (n, k), of the answers; infinite where there is none, which gives NaN.
            rivals: (n, at least 1), the energies of the best new candidates of each question,
                ascending, infinite where there are no more; `RIVALS` of them if there are so many.
            relations: (n, k), of the triples.
        """
        gaps, leads = features(energies, rivals)
        found = self.of_place(place).probabilities(gaps, leads, relations)
        found[~np.isfinite(energies)] = np.nan
        return found


def features(energies: NDArray[np.floating], rivals: NDArray[np.floating]) -> tuple[Floats, Floats]:
    """E − E₁ and E₁₀ − E₁ of answers, both (n, k); 0 where there is no answer."""
    rivals = rivals[:, :RIVALS].astype(np.float64)
    many = np.isfinite(rivals).sum(axis=1)
    best = np.where(many > 0, rivals[:, 0], 0.0)
    last = rivals[np.arange(len(rivals)), np.maximum(many, 1) - 1]
    leads = np.where(many > 0, last, best) - best
    with np.errstate(invalid="ignore"):
        gaps = np.where(np.isfinite(energies), energies - best[:, None], 0.0)
    return gaps, np.broadcast_to(leads[:, None], gaps.shape).copy()


def probabilities_by(
    pooled: Curve,
    own: Mapping[int, Curve],
    gaps: Floats,
    leads: Floats,
    relations: NDArray[np.integer],
) -> Floats:
    """By the curve of each answer's relation, else by the pooled one."""
    found = pooled.probabilities(gaps, leads)
    for relation in np.unique(relations).tolist():
        if relation in own:
            rows = relations == relation
            found[rows] = own[relation].probabilities(gaps[rows], leads[rows])
    return found
