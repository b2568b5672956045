"""Sorting triples fast: three ids packed into one integer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from transa.graph.graph import Triples


def packed(triples: Triples, columns: tuple[int, int, int] = (0, 1, 2)) -> NDArray[np.int64]:
    """One integer per triple whose order is that of the columns named, most significant first."""
    first, second, third = columns
    sizes = [int(triples[:, column].max(initial=0)) + 1 for column in columns]
    # In place, column by column: these arrays are as long as the graph.
    keys: NDArray[np.int64] = triples[:, first].astype(np.int64)
    keys *= sizes[1]
    keys += triples[:, second]
    if sizes[0] * sizes[1] * sizes[2] > np.iinfo(np.int64).max:
        # Too many for 64 bits: number the pairs that occur, of which there are fewer.
        keys = np.unique(keys, return_inverse=True)[1]
    keys *= sizes[2]
    keys += triples[:, third]
    return keys


def order_by(triples: Triples, columns: tuple[int, int, int]) -> NDArray[np.int64]:
    """The permutation that sorts triples by these columns."""
    return np.argsort(packed(triples, columns), kind="stable")


def distinct_triples(triples: Triples) -> Triples:
    """The triples without repetitions, sorted by head, relation, tail."""
    _, first = np.unique(packed(triples), return_index=True)
    return triples[first]
