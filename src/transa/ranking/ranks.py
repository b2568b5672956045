"""Ranks: how many entities a model prefers to the true answer, of both sides of each triple.

Memory beyond the vectors and the index of known triples: about 200 bytes a triple that is ranked,
and on the fused path, whatever the graph, 4 · d · 1,152 bytes a thread (0.5 MB at d = 100); where
every relation sees the entities in its own way, twice the size of the vectors a thread as well. On
the generic path, a few times 16 MB, or one row of energies where that is more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from transa.errors import InputError, one_of
from transa.graph import Triples
from transa.graph.candidates import PROTOCOLS, Protocol
from transa.graph.graph import checked_triples
from transa.graph.known import SIDES, KnownIndex
from transa.kernels.ranking.counting import BETTER, EQUAL, KNOWN_BETTER, KNOWN_EQUAL
from transa.kernels.threads import thread_count
from transa.models import Energy, FittedModel, Tables
from transa.models.energy import inverse_of
from transa.ranking.counting import (
    count_by_relation,
    count_generic,
    count_points,
)
from transa.ranking.questions import Asked, ask

Ties: TypeAlias = Literal["realistic", "optimistic", "pessimistic"]

Progress: TypeAlias = Callable[[int, int], None]
"""Called with how many of how many ranks are done; a triple has two."""


@dataclass(frozen=True, eq=False)
class Counts:
    """Candidates against the true answer, which is not counted: arrays (n, 2), head then tail.

    Attributes:
        better: candidates of strictly lower energy.
        equal: candidates of the same energy.
    """

    better: NDArray[np.int64]
    equal: NDArray[np.int64]

    def ranks(self, ties: Ties = "realistic") -> NDArray[np.float64]:
        """Ranks from 1, an array (n, 2), head then tail.

        Args:
            ties: where the true answer stands among its equals: first (`optimistic`), last
                (`pessimistic`), or in their middle (`realistic`), the mean of the other two.
                Optimistic ranks flatter a model that cannot tell its entities apart.
        """
        one_of("ties", ties, get_args(Ties))
        share = {"optimistic": 0.0, "realistic": 0.5, "pessimistic": 1.0}[ties]
        return 1.0 + self.better + share * self.equal


@dataclass(frozen=True, eq=False)
class Ranks:
    """Counts over all entities (raw), and without the other answers known to be true (filtered)."""

    triples: Triples
    raw: Counts
    filtered: Counts

    @classmethod
    def of(cls, triples: Triples, counts: NDArray[np.int64]) -> Ranks:
        """From what was counted, (n, 2, 4): a true answer counts as equal to itself."""
        better, equal = counts[..., BETTER], counts[..., EQUAL] - 1
        filtered = Counts(better - counts[..., KNOWN_BETTER], equal - counts[..., KNOWN_EQUAL])
        return cls(triples, Counts(better, equal), filtered)


def rank(
    model: FittedModel,
    triples: Triples,
    *,
    protocol: Protocol = "published",
    known: KnownIndex | None = None,
    threads: int = 0,
    progress: Progress | None = None,
) -> Ranks:
    """Rank the true head and the true tail of each triple among all entities.

    Args:
        model: whose graph's triples, of any split, are left out of the filtered candidates; the one
            ranked never is.
        triples: what to rank, ids (n, 3).
        protocol: who else is a candidate; see `transa.graph.candidates`.
        known: what is known to be true, if that is not just what the graph has.
        threads: 0 means all cores. The counts are the same whatever their number.
        progress: told how far the ranking is.

    Raises:
        InputError: no triples, ids out of range, or vectors that are not finite.
    """
    one_of("protocol", protocol, PROTOCOLS)
    energy, parameters = model.energy, model.tables
    check_finite(model)
    if len(triples) == 0:
        raise InputError("there are no triples to rank")
    triples = checked_triples(
        triples, "triples to rank", model.graph.n_entities, model.graph.n_relations
    )
    known = (known or model.known).about(triples)
    counts = np.zeros((len(triples), len(SIDES), 4), dtype=np.int64)
    done = 0
    for column, side in enumerate(SIDES):
        asked, rows = ask(triples, side, known, protocol)
        found = np.zeros((len(triples), 4), dtype=np.int64)
        for ranked in count(energy, parameters, asked, found, thread_count(threads)):
            done += ranked
            if progress is not None:
                progress(done, len(SIDES) * len(triples))
        counts[rows, column] = found
    return Ranks.of(triples, counts)


def count(
    energy: Energy, parameters: Tables, asked: Asked, found: NDArray[np.int64], threads: int
) -> Iterator[int]:
    """Count in the way that suits the energy; see `transa.ranking.counting`."""
    view = energy.distance_view()
    if asked.side == "head" and energy.reciprocal:
        inverse = inverse_of(energy, parameters, asked.relation)
        asked = replace(asked, side="tail", relation=inverse)
    if view is None:
        return count_generic(energy, parameters, asked, found, threads)
    if view.of_relation is None:
        return count_points(view, parameters, asked, found, threads)
    return count_by_relation(view, parameters, asked, found, threads)


def check_finite(model: FittedModel) -> None:
    """Refuse vectors that rank nothing."""
    if model.not_finite is not None:
        raise InputError(
            f"the {model.not_finite} vectors hold NaN or infinity, so there are no ranks; "
            "train with a lower learning rate"
        )
