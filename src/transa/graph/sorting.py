"""Sorting triples fast: three ids packed into one integer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from transa.graph.graph import Triples


def packed(triples: Triples, columns: tuple[int, int, int]) -> NDArray[np.int64]:
    """One integer per triple whose order is that of the columns named, most significant first.

    Raises:
        OverflowError: the ids need more than 63 bits together.
    """
    sizes = [int(triples[:, column].max(initial=0)) + 1 for column in columns]
    if sizes[0] * sizes[1] * sizes[2] >= 1 << 63:
        raise OverflowError("the triples' ids do not fit into 63 bits together")
    first, second, third = (triples[:, column].astype(np.int64) for column in columns)
    return (first * sizes[1] + second) * sizes[2] + third


def order_by(triples: Triples, columns: tuple[int, int, int]) -> NDArray[np.int64]:
    """The permutation that sorts triples by these columns."""
    return np.argsort(packed(triples, columns), kind="stable")


def distinct_triples(triples: Triples) -> Triples:
    """The triples without repetitions, sorted by head, relation, tail."""
    _, first = np.unique(packed(triples, (0, 1, 2)), return_index=True)
    return triples[first]
