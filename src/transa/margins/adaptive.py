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
      P_r: the active-set paragraph (a few negatives, several rounds, averaged).

- M_rel(h, r) is the smallest ‖rᵢ‖ − ‖r‖ ≥ 0 over h's other relations, 0 where there is none.
- ‖·‖ is the energy's own: with the squared L2 energy, distances and lengths are squared too, so
  that the margin is of the energy's scale.

Everything follows from one distance per (entity, neighbour): O(E d), then O(E log degree).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from transa.errors import ConfigError, InputError
from transa.graph import Triples
from transa.graph.neighbourhoods import Neighbourhoods, neighbourhoods
from transa.kernels import margins as kernels
from transa.kernels.distances import L1, L2, L2SQ
from transa.kernels.random import generator_state
from transa.kernels.threads import over_spans
from transa.margins.margin import READINGS, Adaptive, Reading
from transa.models.energy import Norm, lengths

Floats = NDArray[np.floating]
_NORM_CODES: dict[Norm, int] = {"l1": L1, "l2": L2, "l2sq": L2SQ}


@dataclass(frozen=True, eq=False)
class MarginGraph:
    """The neighbourhoods that margins are computed on, made once for a set of triples.

    Attributes:
        out: anchored at heads.
        into: anchored at tails.
        out_slot: for each slot of `into`, the slot of `out` that is the same pair of entities.
    """

    out: Neighbourhoods
    into: Neighbourhoods
    out_slot: NDArray[np.int64]

    @classmethod
    def of(cls, triples: Triples, n_entities: int) -> MarginGraph:
        """The neighbourhoods of triples, in both directions."""
        out = neighbourhoods(triples, n_entities, "head")
        into = neighbourhoods(triples, n_entities, "tail")
        return cls(out, into, np.lexsort((out.anchor, out.neighbour)))


def opt_margins(
    graph: MarginGraph,
    entity: Floats,
    relation: Floats,
    norm: Norm,
    margin: Adaptive,
    *,
    seed: tuple[int, ...] = (0,),
    threads: int = 1,
) -> tuple[Floats, Floats]:
    """M_opt per triple: anchored at the head (tail corrupted), anchored at the tail."""
    distances = np.empty(len(graph.out.anchor), dtype=entity.dtype)
    code = _NORM_CODES[norm]

    def measure(_: int, start: int, stop: int) -> None:
        kernels.slot_distances(
            entity, graph.out.anchor, graph.out.neighbour, code, start, stop, distances
        )

    over_spans(measure, len(distances), threads)
    relation_lengths = lengths(relation, norm)
    sides = ((graph.out, distances), (graph.into, distances[graph.out_slot]))
    head, tail = (
        _anchored(around, d, entity, relation_lengths, code, margin, (*seed, side), threads)
        for side, (around, d) in enumerate(sides)
    )
    return head, tail


def _anchored(
    around: Neighbourhoods,
    distances: Floats,
    entity: Floats,
    relation_lengths: Floats,
    norm: int,
    margin: Adaptive,
    seed: tuple[int, ...],
    threads: int,
) -> Floats:
    """M_opt per triple in one direction."""
    n_entities = len(around.slot_ptr) - 1
    m_ent = np.zeros(n_entities, dtype=entity.dtype)
    m_rel = np.zeros(len(around.group_relation), dtype=entity.dtype)

    def entities(span: int, start: int, stop: int) -> None:
        if margin.reading == "active":
            kernels.active_entity_margins(
                entity,
                around.neighbour,
                around.slot_ptr,
                around.member_ptr,
                around.member,
                around.group_ptr,
                distances,
                norm,
                margin.rounds,
                generator_state(*seed, span),
                start,
                stop,
                m_ent,
            )
        else:
            kernels.entity_margins(
                around.slot_ptr,
                around.member_ptr,
                around.member,
                around.group_ptr,
                distances,
                margin.reading == "pairs",
                start,
                stop,
                m_ent,
            )

    def relations(_: int, start: int, stop: int) -> None:
        kernels.relation_margins(
            around.group_ptr, around.group_relation, relation_lengths, start, stop, m_rel
        )

    if margin.mu > 0:
        _over_anchors(entities, around, threads)
    if margin.mu < 1:
        _over_anchors(relations, around, threads)
    anchor_of_group = np.repeat(np.arange(n_entities), np.diff(around.group_ptr))
    m_opt = margin.mu * m_ent[anchor_of_group] + (1 - margin.mu) * m_rel
    per_triple: Floats = m_opt.astype(entity.dtype, copy=False)[around.group_of_triple]
    return per_triple


def _over_anchors(
    work: Callable[[int, int, int], None], around: Neighbourhoods, threads: int
) -> None:
    """Spans of anchors with about as many neighbours each: hubs make equal counts unequal work."""
    slots = len(around.anchor)
    bounds = np.searchsorted(around.slot_ptr, [slots * i // threads for i in range(threads + 1)])
    bounds[0], bounds[-1] = 0, len(around.slot_ptr) - 1
    over_spans(
        lambda span, _start, _stop: work(span, int(bounds[span]), int(bounds[span + 1])),
        threads,
        threads,
    )


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
        reading: 'pairs', 'spheres' or 'active'; see the module's docstring.
        rounds: draws per entity of the reading 'active'.
        seed: of those draws.
        threads: how many to use.

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
    ids = _checked_ids(triples, len(entity), len(relation))
    if reading not in READINGS:
        raise ConfigError(f"reading is one of {', '.join(READINGS)}; found {reading!r}")
    names: dict[object, Norm] = {1: "l1", 2: "l2", "l1": "l1", "l2": "l2", "l2sq": "l2sq"}
    if norm not in names:
        raise ConfigError(f"norm is 1 or 2 (or 'l1', 'l2', 'l2sq'), found {norm!r}")
    if len(ids) == 0:
        return np.empty(0, entity.dtype), np.empty(0, entity.dtype)
    margin = Adaptive(mu=mu, reading=reading, rounds=rounds)
    around = MarginGraph.of(ids, len(entity))
    relation = relation.astype(entity.dtype, copy=False)
    return opt_margins(around, entity, relation, names[norm], margin, seed=(seed,), threads=threads)


def _vectors(vectors: Floats, what: str) -> Floats:
    array = np.ascontiguousarray(vectors)
    if array.ndim != 2 or not np.issubdtype(array.dtype, np.floating):
        raise InputError(
            f"{what} vectors are floats of shape (n, d), found {array.dtype} {array.shape}"
        )
    if not np.isfinite(array).all():
        raise InputError(f"the {what} vectors hold a value that is not finite")
    return array if array.dtype == np.float32 else array.astype(np.float64, copy=False)


def _checked_ids(triples: NDArray[np.integer], n_entities: int, n_relations: int) -> Triples:
    array = np.asarray(triples)
    if array.ndim != 2 or array.shape[1] != 3 or not np.issubdtype(array.dtype, np.integer):
        raise InputError(f"triples are integers of shape (n, 3), found {array.dtype} {array.shape}")
    limits = np.array([n_entities, n_relations, n_entities])
    if ((array < 0) | (array >= limits)).any():
        raise InputError(
            f"an id is out of range: there are {n_entities} entity and {n_relations} relation "
            "vectors"
        )
    return np.ascontiguousarray(array, dtype=np.int32)
