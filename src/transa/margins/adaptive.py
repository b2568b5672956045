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

Everything follows from one distance per pair of neighbours, whichever is the head, and for `active`
a few more: O(E d), then O(E log degree). `transa.margins.by_block` has the two steps.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from transa.errors import ConfigError, InputError, checked_seed
from transa.graph.graph import checked_triples
from transa.kernels.threads import over_spans, thread_count
from transa.margins.by_block import margins_from, measure_pairs, pairs_to_measure
from transa.margins.margin import Adaptive, Reading
from transa.margins.margin_graph import Floats, MarginGraph, Pairs
from transa.margins.spheres import in_distances
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
    """Fill `out` with M_opt per group, times the group's share, from tables in memory.

    The first of each pair is anchored at heads (tail corrupted), the second at tails.
    """
    wanted = pairs_to_measure(graph, margin, seed, threads)
    # Of neighbours there are as many each time: their room is kept.
    rooms = [graph.distances, *(np.empty(len(two.one), entity.dtype) for two in wanted.pairs[1:])]
    distances = tuple(rooms[: len(wanted.pairs)])

    def measure(span: int, _start: int, _stop: int) -> None:
        for pairs, measured in zip(wanted.pairs, distances, strict=True):
            n = len(measured)
            mine = slice(n * span // threads, n * (span + 1) // threads)
            some = Pairs(pairs.one[mine], pairs.other[mine])
            measure_pairs(some, entity, entity, norm, measured[mine])

    over_spans(measure, threads, threads)
    margins_from(
        graph,
        wanted,
        distances,
        lengths(relation, norm),
        margin,
        shares,
        out,
        epoch=epoch,
        threads=threads,
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
    margin = in_distances(Adaptive(mu=mu, reading=reading, rounds=rounds, local=1.0))
    if len(ids) == 0:
        return np.empty(0, entity.dtype), np.empty(0, entity.dtype)
    around = MarginGraph.of(ids, len(entity), entity.dtype)
    relation = relation.astype(entity.dtype, copy=False)
    at_heads, at_tails = (np.empty_like(side.radii) for side in around.sides)
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
    heads, tails = (side.around.group_of_triple for side in around.sides)
    return at_heads[heads], at_tails[tails]


def _vectors(vectors: Floats, what: str) -> Floats:
    array = np.ascontiguousarray(vectors)
    if array.ndim != 2 or not np.issubdtype(array.dtype, np.floating):
        raise InputError(
            f"{what} vectors are floats of shape (n, d), found {array.dtype} {array.shape}"
        )
    if not np.isfinite(array).all():
        raise InputError(f"the {what} vectors hold a value that is not finite")
    return array if array.dtype == np.float32 else array.astype(np.float64, copy=False)
