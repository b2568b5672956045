"""The energies of many triples, in chunks that fit into memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from transa.models.energy import Energy, Tables, inverse_of

Ids: TypeAlias = int | Sequence[int] | NDArray[np.integer]

_BUDGET = 1 << 22
"""Floats that the vectors and matrices of a chunk fill: 16 MB, of which energies make a few."""


def energies(energy: Energy, parameters: Tables, h: Ids, r: Ids, t: Ids) -> NDArray[np.float32]:
    """The energies of triples, for ids that broadcast to one axis; see `Energy.of_triples`."""
    found = energies_one_way(energy, parameters, h, r, t)
    if not energy.reciprocal:
        return found
    inverse = inverse_of(energy, parameters, np.asarray(r))
    found += energies_one_way(energy, parameters, t, inverse, h)
    found /= 2
    return found


def energies_one_way(
    energy: Energy, parameters: Tables, h: Ids, r: Ids, t: Ids
) -> NDArray[np.float32]:
    """f_r(h, t) for ids that broadcast to one axis."""
    ids = [np.atleast_1d(part).astype(np.int64) for part in (h, r, t)]
    (size,) = np.broadcast_shapes(*(part.shape for part in ids))
    found = np.empty(size, dtype=np.float32)
    step = max(1, _BUDGET // _floats_per_triple(energy, parameters, ids))
    for start in range(0, size, step):
        chunk = slice(start, start + step)
        # What is the same for all stays one id: a relation's matrix is then taken once.
        parts = [part if len(part) == 1 else part[chunk] for part in ids]
        found[chunk] = energy.energies(parameters, *parts)
    return found


def _floats_per_triple(energy: Energy, parameters: Tables, ids: Sequence[NDArray[np.int64]]) -> int:
    """What has to be gathered for one more triple."""
    of_row = {name: int(parameters[name][0].size) for name in energy.tables}
    if len(ids[1]) == 1:
        return max(of_row[name] for name, rows in energy.tables.items() if rows == "entity")
    # What is shared may meet a relation's vector, and leave a matrix for each: SME(bilinear).
    shared = {name for name, rows in energy.tables.items() if rows == "shared"}
    return max(size // energy.dim if name in shared else size for name, size in of_row.items())
