"""The adaptive margin: M_opt = μ M_ent + (1 − μ) M_rel (Jia et al. 2016, section 4).

How this project reads the definitions, for a triple (h, r, t) whose tail is corrupted. When the
head is, t takes h's place and heads take tails': the directions are kept apart.

- R_h are the relations that h is the head of; P_r its tails under r; N_r its other tails. A tail
  under r and another relation too is a positive of r, not a negative.
- M_ent(h) is the mean over R_h of a distance between two spheres round h, 0 where N_r is empty:

  ``pairs``
      min over t in P_r, t′ in N_r of |‖h − t′‖ − ‖h − t‖|: definition 2 to the letter.
  ``spheres``
      |min over N_r of ‖h − t′‖ − max over P_r of ‖h − t‖|: the sentence after it (nearest
      negative, farthest positive) and figure 1.
  ``active``
      the mean of |‖h − t′‖ − max over P_r of ‖h − t‖| over entities t′ drawn at random outside
      P_r, 0 only where there is none: after the active-set paragraph (a few negatives, several
      rounds, averaged), which looks near the farthest positive and among h's tails; drawn from
      all, the margin is larger.

- M_rel(h, r) is the smallest ‖rᵢ‖ − ‖r‖ ≥ 0 over h's other relations, 0 where there is none.
- ‖·‖ is the energy's own: with the squared L2 energy, distances and lengths are squared too, so
  that the margin is of the energy's scale.

Everything follows from one distance per pair of neighbours, whichever is the head: O(E d), then
O(E log degree).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from transa.errors import ConfigError, InputError, checked_seed
from transa.graph.graph import checked_triples
from transa.kernels.distances import NORM_CODES
from transa.kernels.margins import readings as kernels
from transa.kernels.margins.active import active_entity_margins_for, room_for_draws
from transa.kernels.margins.ordering import room_for_ordering
from transa.kernels.random import generator_state
from transa.kernels.threads import over_spans, thread_count
from transa.margins.margin import Adaptive, Reading
from transa.margins.margin_graph import Floats, MarginGraph
from transa.models.energy import Norm, lengths


def opt_margins(
    graph: MarginGraph,
    entity: Floats,
    relation: Floats,
    norm: Norm,
    margin: Adaptive,
    shares: tuple[Floats, Floats],
    out: tuple[Floats, Floats],
    *,
    epoch: int = 0,
    seed: tuple[int, ...] = (0,),
    threads: int = 1,
) -> None:
    """Fill `out` with M_opt per group, times the group's share.

    The first of each pair is anchored at heads (tail corrupted), the second at tails.
    """
    room, relation_lengths, mu = graph.room, lengths(relation, norm), margin.mu_in(epoch)
    fill_m_ent = _entity_margins(graph, entity, NORM_CODES[norm], margin, seed, threads)

    def fill(span: int, start: int, stop: int) -> None:
        fill_m_ent(span, start, stop)
        for around, order, m_ent, share, margins in zip(
            (graph.out, graph.into), room.orders, room.m_ent, shares, out, strict=True
        ):
            kernels.opt_margins(
                around, relation_lengths, order, m_ent, share, mu, start, stop, margins
            )

    graph.over_anchors(fill, threads)


def _entity_margins(
    graph: MarginGraph,
    entity: Floats,
    norm: int,
    margin: Adaptive,
    seed: tuple[int, ...],
    threads: int,
) -> Callable[[int, int, int], None]:
    """Measure all distances; give what then fills M_ent for a span of anchors."""
    if margin.mu == 0:
        return lambda _span, _start, _stop: None
    room = graph.room
    pair_distances = kernels.pair_distances_for(entity.shape[1], norm)

    def measure(_: int, start: int, stop: int) -> None:
        pair_distances(entity, graph.one, graph.other, start, stop, room.distances)

    over_spans(measure, len(room.distances), threads)
    if margin.reading == "active":
        return _active_filler(graph, entity, norm, margin.rounds, seed)
    return _pairs_filler(graph) if margin.reading == "pairs" else _spheres_filler(graph)


def _pairs_filler(graph: MarginGraph) -> Callable[[int, int, int], None]:
    """What fills M_ent for a span of anchors in the reading `pairs`."""
    room = graph.room

    def fill(_: int, start: int, stop: int) -> None:
        slots = room_for_ordering(graph.most_neighbours, room.distances.dtype)
        gaps = np.empty(graph.most_groups, room.distances.dtype)
        for around, pairs, m_ent in zip(
            (graph.out, graph.into), graph.pair_of_slot, room.m_ent, strict=True
        ):
            kernels.pair_margins(around, room.distances, pairs, slots, gaps, start, stop, m_ent)

    return fill


def _spheres_filler(graph: MarginGraph) -> Callable[[int, int, int], None]:
    """What fills M_ent for a span of anchors in the reading `spheres`."""
    room = graph.room

    def fill(_: int, start: int, stop: int) -> None:
        _fill_radii(graph, start, stop)
        near = np.empty(graph.most_neighbours, room.distances.dtype)
        for around, pairs, radii, m_ent in zip(
            (graph.out, graph.into), graph.pair_of_slot, room.radii, room.m_ent, strict=True
        ):
            kernels.sphere_margins(around, room.distances, pairs, radii, near, start, stop, m_ent)

    return fill


def _fill_radii(graph: MarginGraph, start: int, stop: int) -> None:
    """The internal spheres of a span of anchors, both ways."""
    for around, pairs, radii in zip(
        (graph.out, graph.into), graph.pair_of_positive, graph.room.radii, strict=True
    ):
        first, end = around.group_ptr[start], around.group_ptr[stop]
        kernels.radii(around, graph.room.distances, pairs, first, end, radii)


def _active_filler(
    graph: MarginGraph, entity: Floats, norm: int, rounds: int, seed: tuple[int, ...]
) -> Callable[[int, int, int], None]:
    """What fills M_ent for a span of anchors in the reading `active`."""
    out, into, room = graph.out, graph.into, graph.room
    active_entity_margins = active_entity_margins_for(entity.shape[1], norm, rounds)

    def fill(span: int, start: int, stop: int) -> None:
        _fill_radii(graph, start, stop)
        state, draws = generator_state(*seed, span), room_for_draws(rounds, entity.dtype)
        active_entity_margins(
            entity, out, into, *room.radii, state, draws, start, stop, *room.m_ent
        )

    return fill


def adaptive_margins(
    triples: NDArray[np.integer],
    entity_vectors: Floats,
    relation_vectors: Floats,
    *,
    mu: float = 0.5,
    norm: Literal[1, 2] | Norm = 1,
    reading: Reading = "pairs",
    rounds: int = 10,
    seed: int = 0,
    threads: int = 1,
) -> tuple[Floats, Floats]:
    """The margin of every triple of a graph, from the graph and its vectors.

    Args:
        triples: integer ids (n, 3): head, relation, tail; all that is known of the graph.
        entity_vectors: (entities, d).
        relation_vectors: (relations, d).
        mu: the weight of M_ent against M_rel.
        norm: 1 or 2 (or 'l1', 'l2', 'l2sq'), the norm of the energy.
        reading: 'pairs', 'spheres' or 'active'; see the module's docstring. Training reads
            `active` unless told otherwise (`transa.Adaptive`).
        rounds: draws per entity of the reading 'active'.
        seed: of those draws.
        threads: how many to use; 0 means all cores.

    Returns:
        Two arrays, one value per triple: the margin when the tail is corrupted (anchored at h) and
        when the head is (anchored at t).

    Example:
        >>> import numpy as np
        >>> vectors = np.array([[0.0], [1.0], [3.0]])
        >>> triples = np.array([[0, 0, 1], [0, 1, 2]])
        >>> head, tail = adaptive_margins(triples, vectors, np.array([[1.0], [3.0]]), mu=1.0)
        >>> head  # round entity 0: |3 − 1| for either relation
        array([2., 2.])
    """
    entity, relation = _vectors(entity_vectors, "entity"), _vectors(relation_vectors, "relation")
    ids = checked_triples(triples, "triples", len(entity), len(relation))
    names: dict[object, Norm] = {1: "l1", 2: "l2", "l1": "l1", "l2": "l2", "l2sq": "l2sq"}
    if norm not in names:
        raise ConfigError(f"norm is 1 or 2 (or 'l1', 'l2', 'l2sq'), found {norm!r}")
    margin = Adaptive(mu=mu, reading=reading, rounds=rounds, local=1.0)
    if len(ids) == 0:
        return np.empty(0, entity.dtype), np.empty(0, entity.dtype)
    around = MarginGraph.of(ids, len(entity), entity.dtype)
    relation = relation.astype(entity.dtype, copy=False)
    at_heads, at_tails = (np.empty_like(of_group) for of_group in around.room.radii)
    all_of_it = np.ones_like(at_heads), np.ones_like(at_tails)
    opt_margins(
        around,
        entity,
        relation,
        names[norm],
        margin,
        all_of_it,
        (at_heads, at_tails),
        seed=(checked_seed(seed),),
        threads=thread_count(threads),
    )
    return at_heads[around.out.group_of_triple], at_tails[around.into.group_of_triple]


def _vectors(vectors: Floats, what: str) -> Floats:
    array = np.ascontiguousarray(vectors)
    if array.ndim != 2 or not np.issubdtype(array.dtype, np.floating):
        raise InputError(
            f"{what} vectors are floats of shape (n, d), found {array.dtype} {array.shape}"
        )
    if not np.isfinite(array).all():
        raise InputError(f"the {what} vectors hold a value that is not finite")
    return array if array.dtype == np.float32 else array.astype(np.float64, copy=False)
