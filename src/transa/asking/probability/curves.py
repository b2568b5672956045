"""From the energies of a question's answers to their probabilities.

An answer is one among many candidates, so that its energy alone says little: it is held against
those of its rivals. With E₁, E₂ and E₁₀ the lowest energies of all candidates of the question, a of
them ahead of the answer, and m answers that the graph has already,

    logit p = intercept − gap · (E − E₁) − rank · log(1 + a) + lead · (E₁₀ − E₁)
              + first · [a = 0] (E₂ − E₁) + known · log(1 + m),

so that an answer is the more probable the closer it is to the best, the fewer are ahead of it, and
the further the best are ahead of the rest; how far the first is ahead speaks for it, or against it
where a relation shows that; and who has a capital already
is not expected to have another. Every relation has
a curve of its own, as far as its validation triples bear it out, for each of the three places that
can be asked for.

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

# Of an energy, as a share of it.
_ROUNDING = 1e-5

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Traits:
    """What tells how probable answers are.

    Attributes:
        inputs: (n, k, 5), of n questions: what the weights of a `Curve` stand before, in its order.
        relations: (n, k), of the triples.
    """

    inputs: Floats
    relations: NDArray[np.integer]

    def __getitem__(self, rows: NDArray[np.bool_]) -> Traits:
        return Traits(self.inputs[rows], self.relations[rows])


@dataclass(frozen=True)
class Curve:
    """Its weights; those of the first two are not negative.

    So of two answers behind the first, the better is never the less probable. The first itself may
    be: with TransA on wn18rr, those that are far ahead of all others are mostly false.
    """

    gap: float
    rank: float
    first: float
    lead: float
    known: float
    intercept: float

    def probabilities(self, traits: Traits) -> Floats:
        """Of each answer."""
        weights = np.array([self.gap, self.rank, self.first, self.lead, self.known])
        # As a tanh, which does not overflow.
        p: Floats = 0.5 * (1 + np.tanh(0.5 * (traits.inputs @ weights + self.intercept)))
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

    def probabilities(self, traits: Traits) -> Floats:
        """Of each answer."""
        return probabilities_by(self.pooled, self.own, traits)


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
        known: NDArray[np.integer],
        relations: NDArray[np.integer],
    ) -> Floats:
        """The probabilities of answers, (n, k), to n questions for one place.

        Args:
            place: what is asked for.
            energies: (n, k), of the answers; infinite where there is none, which gives NaN.
            rivals: (n, at least 1), the energies of the best new candidates of each question,
                ascending, infinite where there are no more; `RIVALS` of them if there are so many.
            known: (n,), how many answers the graph has already.
            relations: (n, k), of the triples.
        """
        traits = traits_of(energies, rivals, known, relations)
        found = self.of_place(place).probabilities(traits)
        found[~np.isfinite(energies)] = np.nan
        return found


def traits_of(
    energies: NDArray[np.floating],
    rivals: NDArray[np.floating],
    known: NDArray[np.integer],
    relations: NDArray[np.integer],
) -> Traits:
    """What tells how probable answers are; see `Probabilities.of_answers`."""
    rivals = rivals[:, :RIVALS].astype(np.float64)
    there = np.isfinite(rivals)
    best = np.where(there[:, 0], rivals[:, 0], 0.0)[:, None]
    far = np.where(there, rivals - best, 0.0)
    answered = np.isfinite(energies)
    gaps = np.where(answered, energies, best) - best
    # Whoever computed an answer's energy in another way is not ahead of itself for a rounding.
    slack = _ROUNDING * (1 + np.abs(best))
    ahead = np.count_nonzero(there[:, None] & (far[:, None] < (gaps - slack)[..., None]), axis=-1)
    second = far[:, 1:2] if far.shape[1] > 1 else np.zeros_like(best)
    inputs = (
        -gaps,
        -np.log1p(ahead),
        (ahead == 0) * second,
        np.broadcast_to(far.max(axis=1, keepdims=True), gaps.shape),
        np.broadcast_to(np.log1p(known)[:, None], gaps.shape),
    )
    return Traits(np.stack(inputs, axis=-1), relations)


def probabilities_by(pooled: Curve, own: Mapping[int, Curve], traits: Traits) -> Floats:
    """By the curve of each answer's relation, else by the pooled one."""
    found = pooled.probabilities(traits)
    for relation in np.unique(traits.relations).tolist():
        if relation in own:
            rows = traits.relations == relation
            found[rows] = own[relation].probabilities(traits[rows])
    return found
