"""Batches in which a relation stands alone, for models in which it acts by a matrix.

If all triples of a step have one relation, its matrices are read and moved once instead of once a
triple, and what they do to the entities is one matrix product.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Id = TypeVar("Id", bound=np.integer)

# So many triples are worth a step of their own; relations with fewer share their steps.
ENOUGH = 32
# Steps of an epoch, at least, as long as each has enough. A relation moves only in steps of its
# own: on a small graph, large batches would hardly ever move it.
STEPS = 256


def together(relations: NDArray[np.integer], size: int) -> tuple[NDArray[np.int64], list[int]]:
    """An order of triples or questions by relation, and where in it batches begin; the end too.

    Within a batch, of at most `size`, the order is the given one. Relations that have fewer than
    `ENOUGH` stand together, after the others.
    """
    size = min(size, max(ENOUGH, len(relations) // STEPS))
    counts = np.bincount(relations)
    group = np.where(counts[relations] >= ENOUGH, relations, len(counts))
    order = np.argsort(group, kind="stable")
    ends = np.flatnonzero(np.diff(group[order], append=-1)) + 1
    starts, begin = [], 0
    for end in ends.tolist():
        n_batches = -(-(end - begin) // size)
        starts += [begin + (end - begin) * part // n_batches for part in range(n_batches)]
        begin = end
    return order, [*starts, len(relations)]


def alone(relations: NDArray[Id]) -> NDArray[Id]:
    """The relations of a batch, or the only one if they are all the same."""
    one = len(relations) > 0 and bool((relations == relations[0]).all())
    return relations[:1] if one else relations
