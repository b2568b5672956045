"""Which triples a graph can spare."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from transa.kernels.jit import kernel


@kernel
def hold_out(
    triples: NDArray[np.int32],
    order: NDArray[np.int64],
    entity_degrees: NDArray[np.int64],
    relation_degrees: NDArray[np.int64],
    wanted: int,
) -> NDArray[np.int64]:
    """Up to `wanted` triples, taken in `order`, without which no entity or relation disappears.

    The degrees say in how many triples each entity and relation occurs (a loop counts once); they
    are lowered in place. Fewer than `wanted` come back only if not one more could be spared.
    """
    held_out = np.empty(wanted, dtype=np.int64)
    count = 0
    for index in order:
        if count == wanted:
            break
        head, relation, tail = triples[index]
        if entity_degrees[head] > 1 and entity_degrees[tail] > 1 and relation_degrees[relation] > 1:
            entity_degrees[head] -= 1
            if tail != head:
                entity_degrees[tail] -= 1
            relation_degrees[relation] -= 1
            held_out[count] = index
            count += 1
    return held_out[:count]
