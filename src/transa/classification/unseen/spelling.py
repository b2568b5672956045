"""Entities whose labels are spelt alike: what a name tells of an entity that was never learnt.

Labels are cut into words, and words into pieces of 3, 4 and 5 letters, ends marked: ``__dog_1`` and
``__dogs_2`` share ``<dog``, and whatever ends in ``aceae>`` is a family of plants. Likeness is the
cosine between the pieces that two labels have, rare pieces counting more (TF-IDF). That is of use
where labels are words; ``/m/05qtj`` and ``Q142`` tell nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from transa.models.distances import nearest

_SIZES = (3, 4, 5)
_NOT_IN_WORDS = re.compile(r"[\W_]+")

# How many of the likest labels are taken, and the power of likeness that they count by.
_LIKEST = 10
_POWER = 3


@dataclass(frozen=True, eq=False)
class Lookalikes:
    """The known labels that one label is most like.

    Attributes:
        ids: positions among the known labels, likest first; empty if none shares a piece.
        weights: how much each counts; they sum to 1.
    """

    ids: NDArray[np.intp]
    weights: NDArray[np.float32]

    def mean(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """The weighted mean of their vectors, which are given in the order of `ids`."""
        mean: NDArray[np.float32] = np.tensordot(self.weights, vectors, axes=1)
        return mean


def similarly_spelt(
    known: Sequence[str], wanted: Sequence[str], itself: Sequence[int] | None = None
) -> list[Lookalikes]:
    """The known labels most like each wanted one, itself left out.

    `itself` is each one's place among the known, −1 for those that have none.
    """
    index = _Index(known)
    places = [-1] * len(wanted) if itself is None else itself
    return [index.likest(*asked) for asked in zip(wanted, places, strict=True)]


class _Index:
    """Which labels have a piece, and how much the piece counts."""

    def __init__(self, labels: Sequence[str]) -> None:
        number: dict[str, int] = {}
        cut = [[number.setdefault(p, len(number)) for p in _pieces(label)] for label in labels]
        pieces = np.fromiter(chain.from_iterable(cut), np.int64)
        holders = np.repeat(np.arange(len(labels)), [len(of_label) for of_label in cut])
        frequency = np.bincount(pieces, minlength=len(number))
        # Squared: a piece stands in both labels that are compared.
        weights = np.log(len(labels) / frequency) ** 2
        self._number, self._weights = number, weights
        self._lengths = np.sqrt(np.bincount(holders, weights[pieces], len(labels)))
        self._holders = holders[np.argsort(pieces, kind="stable")]
        self._first = np.append(0, np.cumsum(frequency))

    def likest(self, label: str, itself: int) -> Lookalikes:
        """The labels most like this one, but for its own."""
        numbers = [self._number[piece] for piece in _pieces(label) if piece in self._number]
        shared = np.zeros(len(self._lengths))
        for number in numbers:
            holders = self._holders[self._first[number] : self._first[number + 1]]
            shared[holders] += self._weights[number]
        # The length of `label` itself is the same for all, so that it is left out.
        likeness = np.divide(shared, self._lengths, out=shared, where=self._lengths > 0)
        if itself >= 0:
            likeness[itself] = 0
        likest = nearest(-likeness, _LIKEST)
        likest = likest[likeness[likest] > 0]
        weights = (likeness[likest] / likeness.max(initial=1.0)) ** _POWER
        return Lookalikes(likest, (weights / (weights.sum() or 1.0)).astype(np.float32))


def _pieces(label: str) -> set[str]:
    """What a label is made of: itself without its marks and numbers, its words, and their parts."""
    words = [word for word in _NOT_IN_WORDS.split(label.casefold()) if word and not word.isdigit()]
    if not words:
        return set()
    marked = [f"<{word}>" for word in words]
    parts = (m[i : i + n] for m in marked for n in _SIZES for i in range(len(m) - n + 1))
    return {*parts, *marked, " ".join(marked)}
