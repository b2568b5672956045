"""Who is round an entity: its neighbours, and the relations that lead to them.

Kept apart for the two directions, as the paper's P_r and N_r are: anchored at a head, the
neighbours are its tails; anchored at a tail, they are its heads.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from transa.graph.graph import Triples
from transa.graph.sorting import order_by
from transa.kernels.margins.readings import Neighbourhoods

Ids = NDArray[np.int32]


def neighbourhoods(
    triples: Triples, n_entities: int, anchored_at: Literal["head", "tail"]
) -> Neighbourhoods:
    """The neighbourhoods of all entities, as heads or as tails of these triples."""
    anchor, answer = (0, 2) if anchored_at == "head" else (2, 0)
    by_group = order_by(triples, (anchor, 1, answer))
    begins_group = _begins(triples[by_group][:, [anchor, 1]])
    group_of_triple = np.empty(len(triples), dtype=np.int32)
    group_of_triple[by_group] = np.cumsum(begins_group) - 1
    groups = triples[by_group[begins_group]]

    by_slot = order_by(triples, (anchor, answer, 1))
    edges = triples[by_slot]
    begins_edge = _begins(edges)
    edges, member = edges[begins_edge], group_of_triple[by_slot[begins_edge]]
    begins_slot = _begins(edges[:, [anchor, answer]])
    slots = edges[begins_slot]
    member_ptr = np.append(np.flatnonzero(begins_slot), len(edges))
    slot_of_edge = np.repeat(np.arange(len(slots)), np.diff(member_ptr))
    everyone = np.arange(n_entities + 1)
    return Neighbourhoods(
        anchor=np.ascontiguousarray(slots[:, anchor]),
        neighbour=np.ascontiguousarray(slots[:, answer]),
        slot_ptr=_ids(np.searchsorted(slots[:, anchor], everyone)),
        member_ptr=_ids(member_ptr),
        member=member,
        positive_ptr=_ids(np.append(0, np.cumsum(np.bincount(member)))),
        positive=_ids(slot_of_edge[np.argsort(member, kind="stable")]),
        positive_group=np.sort(member),
        group_ptr=_ids(np.searchsorted(groups[:, anchor], everyone)),
        group_anchor=np.append(groups[:, anchor], np.int32(-1)),
        group_relation=np.ascontiguousarray(groups[:, 1]),
        group_of_triple=group_of_triple,
    )


def _begins(rows: Ids) -> NDArray[np.bool_]:
    """Where a row differs from the one before it."""
    return np.append(True, np.any(rows[1:] != rows[:-1], axis=1))


def _ids(array: NDArray[np.int64]) -> Ids:
    return array.astype(np.int32)
