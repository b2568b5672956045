"""From a margin below the threshold to the probability that a triple is true.

Curves are fitted on the labelled validation triples: for a relation of its own where it has at
least `ENOUGH` true and as many false ones, else the pooled curve of all relations. Margins, not
energies, are what is pooled: relations differ in where their energies lie.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from transa.classification.thresholds.logistic import fit_logistic, sigmoid
from transa.errors import one_of

Method: TypeAlias = Literal["platt", "isotonic"]

Margins = NDArray[np.float64]
Truth = NDArray[np.bool_]

# True and false triples that a relation needs for a curve of its own.
ENOUGH = 50

# A vanishing ridge: the fit is unique even if all margins are the same, and otherwise unchanged.
_HARDLY = np.full(2, 1e-12)


@dataclass(frozen=True)
class Platt:
    """p = 1 / (1 + exp(−slope · margin − intercept)) (Platt 1999)."""

    slope: float
    intercept: float

    def probabilities(self, margins: Margins) -> NDArray[np.float64]:
        """Of each margin."""
        return sigmoid(self.slope * margins + self.intercept)


@dataclass(frozen=True)
class Isotonic:
    """The best curve that never falls, linear between its knots (Zadrozny & Elkan 2002)."""

    margins: tuple[float, ...]
    shares: tuple[float, ...]

    def probabilities(self, margins: Margins) -> NDArray[np.float64]:
        """Of each margin."""
        return np.interp(margins, self.margins, self.shares)


Curve: TypeAlias = Platt | Isotonic


@dataclass(frozen=True)
class Calibration:
    """The curves of a model.

    Attributes:
        method: what kind they are.
        pooled: of all relations together.
        own: by relation id, where there is enough data.
    """

    method: Method
    pooled: Curve
    own: Mapping[int, Curve]

    def probabilities(
        self, margins: Margins, relations: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """One probability a triple; NaN where there is no energy, so that the margin is −∞."""
        found = np.full(len(margins), np.nan)
        usable = np.isfinite(margins)
        for relation in np.unique(relations[usable]):
            rows = usable & (relations == relation)
            curve = self.own.get(int(relation), self.pooled)
            found[rows] = curve.probabilities(margins[rows])
        return found


def fit_calibration(
    margins: Margins, relations: NDArray[np.integer], truth: Truth, method: Method = "platt"
) -> Calibration:
    """Fit the curves on labelled validation triples, of which at least one has an energy."""
    one_of("calibration", method, get_args(Method))
    fit = fit_platt if method == "platt" else fit_isotonic
    usable = np.isfinite(margins)
    margins, relations, truth = margins[usable], relations[usable], truth[usable]
    own: dict[int, Curve] = {
        relation: fit(margins[rows], truth[rows]) for relation, rows in well_known(relations, truth)
    }
    return Calibration(method, fit(margins, truth), own)


def well_known(
    relations: NDArray[np.integer], truth: Truth
) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """The relations with `ENOUGH` true and as many false triples, and which triples are theirs."""
    for relation in np.unique(relations):
        rows = relations == relation
        true = int(np.count_nonzero(truth[rows]))
        if min(true, int(np.count_nonzero(rows)) - true) >= ENOUGH:
            yield int(relation), rows


def fit_platt(margins: Margins, truth: Truth) -> Platt:
    """The likeliest sigmoid, by Newton's method (Lin, Lin & Weng 2007).

    Platt's targets stand a little inside 0 and 1, so that the slope is finite even where the labels
    can be told apart without error. A slope below 0, which would make the less plausible the more
    probable, becomes 0.
    """
    true = int(np.count_nonzero(truth))
    false = len(truth) - true
    targets = np.where(truth, (true + 1) / (true + 2), 1 / (false + 2))
    # Newton's steps do not depend on the scale of the margins but rounding does.
    scale = float(np.abs(margins).max()) or 1.0
    inputs: NDArray[np.float64] = np.stack([margins / scale, np.ones_like(margins)], axis=1)
    weights = np.array([0.0, np.log((true + 1) / (false + 1))])
    weights = fit_logistic(inputs, targets, weights, _HARDLY)
    if weights[0] < 0:
        mean = targets.mean()
        return Platt(0.0, float(np.log(mean / (1 - mean))))
    return Platt(float(weights[0] / scale), float(weights[1]))


def fit_isotonic(margins: Margins, truth: Truth) -> Isotonic:
    """The non-decreasing curve with the least squared error, by pooling adjacent violators."""
    knots, place = np.unique(margins, return_inverse=True)
    counts = np.bincount(place)
    # A block of neighbouring knots: how many triples, how many of them true, its last knot.
    blocks: list[tuple[int, int, int]] = []
    for knot, (count, true) in enumerate(zip(counts, np.bincount(place, truth), strict=True)):
        block = (int(count), int(true), knot)
        while blocks and blocks[-1][1] * block[0] >= block[1] * blocks[-1][0]:
            before = blocks.pop()
            block = (before[0] + block[0], before[1] + block[1], knot)
        blocks.append(block)
    # Flat from a block's first knot to its last, then a straight line to the next.
    values = [true / count for count, true, _ in blocks]
    last = [knot for _, _, knot in blocks]
    first = [0, *(knot + 1 for knot in last[:-1])]
    pairs = [(knots[k], v) for a, b, v in zip(first, last, values, strict=True) for k in {a, b}]
    at, shares = zip(*sorted(pairs), strict=True)
    return Isotonic(tuple(map(float, at)), tuple(map(float, shares)))
