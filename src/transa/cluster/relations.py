"""Relations, of which every turn of a round has a copy: the mean of what they came to.

A relation goes as far as the turns took it on average, each counting by the triples of that
relation that it had: the relation that one turn alone has seen goes all of its way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from transa.files.arrays import Arrays


def averaged(
    before: Mapping[str, NDArray[np.float32]],
    after: Sequence[Arrays],
    counts: Sequence[NDArray[np.int64]],
) -> dict[str, NDArray[np.float32]]:
    """Tables of relations, and what the optimiser keeps of them, after a round.

    Args:
        before: as every turn began with them.
        after: as the turns left them, in the order of the turns.
        counts: triples of each relation that each turn had.
    """
    shares = np.stack(counts).astype(np.float64)
    total = shares.sum(0)
    shares /= np.maximum(total, 1)
    # Tables that all relations share have one row.
    of_all = shares @ total / max(total.sum(), 1.0)
    found = {}
    for name, table in before.items():
        moved = table.astype(np.float64)
        for n, one in enumerate(after):
            share = shares[n] if len(table) == len(total) else of_all[n : n + 1]
            way = (one[name] - table).astype(np.float64)
            moved += share.reshape(-1, *[1] * (table.ndim - 1)) * way
        found[name] = moved.astype(np.float32)
    return found
