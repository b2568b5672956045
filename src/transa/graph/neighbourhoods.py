"""Who is round an entity: its neighbours, and the relations that lead to them.

Kept apart for the two directions, as the paper's P_r and N_r are: anchored at a head, the
neighbours are its tails; anchored at a tail, they are its heads.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from transa.graph.graph import Triples
from transa.graph.sorting import order_by

Ids = NDArray[np.int32]


class Neighbourhoods(NamedTuple):
    """Compressed rows: anchors have neighbours, neighbours have groups, anchors have groups.

    A *slot* is a distinct (anchor, neighbour), a *group* a distinct (anchor, relation). A slot lies
    in one group or in several; the slots of a group are the positives P_r, the anchor's other slots
    the negatives N_r.

    Attributes:
        anchor: per slot; slots are sorted by anchor, then neighbour.
        neighbour: per slot.
        slot_ptr: slots of anchor e are slot_ptr[e] .. slot_ptr[e + 1] − 1.
        member_ptr: groups of slot s are member[member_ptr[s]] .. member[member_ptr[s + 1] − 1].
        member: group per distinct edge, sorted by slot.
        group_ptr: groups of anchor e are group_ptr[e] .. group_ptr[e + 1] − 1.
        group_relation: per group.
        group_of_triple: per triple of the input, the group that it belongs to.
    """

    anchor: Ids
    neighbour: Ids
    slot_ptr: Ids
    member_ptr: Ids
    member: Ids
    group_ptr: Ids
    group_relation: Ids
    group_of_triple: Ids


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
    everyone = np.arange(n_entities + 1)
    return Neighbourhoods(
        anchor=np.ascontiguousarray(slots[:, anchor]),
        neighbour=np.ascontiguousarray(slots[:, answer]),
        slot_ptr=_ids(np.searchsorted(slots[:, anchor], everyone)),
        member_ptr=_ids(np.append(np.flatnonzero(begins_slot), len(edges))),
        member=member,
        group_ptr=_ids(np.searchsorted(groups[:, anchor], everyone)),
        group_relation=np.ascontiguousarray(groups[:, 1]),
        group_of_triple=group_of_triple,
    )


def _begins(rows: Ids) -> NDArray[np.bool_]:
    """Where a row differs from the one before it."""
    return np.append(True, np.any(rows[1:] != rows[:-1], axis=1))


def _ids(array: NDArray[np.int64]) -> Ids:
    return array.astype(np.int32)
