"""Which entities hang together, and which of them nearly everything hangs on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transa.graph import Graph, Triples


@dataclass(frozen=True)
class Components:
    """The parts of the training triples between which there is no way, whatever the direction.

    Attributes:
        count: how many there are.
        largest: how many entities the largest has.
        pairs: how many are of two entities or fewer; little can be learnt of those.
    """

    count: int
    largest: int
    pairs: int


@dataclass(frozen=True)
class Hub:
    """An entity with many training triples.

    Attributes:
        entity: its label.
        name: what a person calls it, or the label.
        outgoing: triples that it is the head of.
        incoming: triples that it is the tail of.
        share: of all training triples, those that it is part of.
    """

    entity: str
    name: str
    outgoing: int
    incoming: int
    share: float


def components_of(graph: Graph) -> Components:
    """The components of the training triples; entities that train does not have are in none."""
    sizes = np.bincount(component_ids(graph.train, graph.n_entities)[graph.seen])
    sizes = sizes[sizes > 0]
    return Components(len(sizes), int(sizes.max()), int(np.count_nonzero(sizes <= 2)))


def component_ids(triples: Triples, n_entities: int) -> NDArray[np.int64]:
    """For each entity the smallest id in its component."""
    least = np.arange(n_entities)
    one, other = triples[:, 0], triples[:, 2]
    while len(one):
        low, high = np.minimum(least[one], least[other]), np.maximum(least[one], least[other])
        np.minimum.at(least, high, low)
        # What an entity points to may now point further: follow that to its end.
        while np.any(least[least] != least):
            least = least[least]
        apart = least[one] != least[other]
        one, other = one[apart], other[apart]
    return least


def degrees(graph: Graph) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Per entity, how many training triples have it as their head, and as their tail."""
    heads, _, tails = graph.train.T
    n = graph.n_entities
    return np.bincount(heads, minlength=n), np.bincount(tails, minlength=n)


def hubs_of(graph: Graph, count: int) -> tuple[Hub, ...]:
    """The entities with most training triples, first those with more."""
    outgoing, incoming = degrees(graph)
    most = np.argsort(-(outgoing + incoming), kind="stable")[:count]
    heads, _, tails = graph.train.T
    return tuple(
        Hub(
            entity=graph.entities.label(i),
            name=graph.entities.display(i),
            outgoing=int(outgoing[i]),
            incoming=int(incoming[i]),
            share=float(np.mean((heads == i) | (tails == i))),
        )
        for i in most
    )
