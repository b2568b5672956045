"""The most plausible facts that a graph does not have, over all pairs that its types allow.

Every pair is looked at, relation by relation, and none is kept but the best few of each head:
memory grows with the entities, never with their square. What is found is exact for these rules, in
turn:

1. of each head, over all relations, the `per_head` most plausible new facts;
2. among these, of each tail the `per_tail` most plausible;
3. among these, of each relation the `per_relation` most plausible;
4. of these the `top` most plausible.

So a hub has its share of the list and no more.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from transa.asking.discovery.order import Order, Values
from transa.asking.discovery.searching import Found, best_new_tails
from transa.asking.discovery.table import Discoveries, Discovery
from transa.asking.discovery.types import TYPES, Places, Types
from transa.asking.reasons.facts import Ids
from transa.errors import ConfigError, one_of
from transa.files.memory import check_memory
from transa.kernels.threads import thread_count
from transa.models.fitted import FittedModel

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the pairs looked at and all that there are; first with 0, before the work begins."""

Stop: TypeAlias = Callable[[], bool]
"""Whether to stop, asked several times a second; what was found so far is then told."""

# Bytes of a fact that a head keeps.
_A_FACT = 24
# Heads by which the time is estimated.
_TRIAL = 64


@dataclass(frozen=True)
class Rules:
    """What is looked for.

    Attributes:
        top: how many facts.
        per_head: at most so many of one head.
        per_tail: at most so many of one tail, among those.
        per_relation: at most so many of one relation, among those; None is no bound.
        types: which entities may stand where; see `transa.asking.discovery.types`.
        least: the least plausibility, a probability where the order is one.
    """

    top: int = 1000
    per_head: int = 10
    per_tail: int = 10
    per_relation: int | None = None
    types: Types = "seen"
    least: float = -math.inf

    def __post_init__(self) -> None:
        one_of("types", self.types, TYPES)
        for name in ("top", "per_head", "per_tail", "per_relation"):
            value = getattr(self, name)
            if name == "per_relation" and value is None:
                continue
            if not isinstance(value, Integral) or value < 1:
                raise ConfigError(f"{name} is a whole number of at least 1, found {value!r}")


@dataclass(frozen=True, eq=False)
class Search:
    """A search that is set up and not yet begun.

    Attributes:
        model: whose graph is completed.
        order: what facts are ordered by.
        rules: what is looked for.
        relations: ids of those that are looked at.
        threads: 0 is all cores.
    """

    model: FittedModel
    order: Order
    rules: Rules
    relations: Sequence[int]
    threads: int = 0

    def pairs(self) -> int:
        """How many pairs of head and tail there are to look at, over the relations."""
        return sum(len(heads) * len(tails) for _, heads, tails in self._places())

    def seconds(self) -> float:
        """About how long it will take, by a trial of the first few heads."""
        trial = next(self._places(), None)
        if trial is None:
            return 0.0
        relation, heads, tails = trial[0], trial[1][:_TRIAL], trial[2]
        # Once to compile what is not compiled yet, and once to measure.
        for _ in range(2):
            begun = time.perf_counter()
            for found in self._look(relation, heads, tails):
                self.order.plausibility(relation, found.heads, np.zeros(found.energies.shape))
        spent = time.perf_counter() - begun
        # To tell a probability, a question is put to all entities besides.
        besides = self.model.graph.n_entities if self.order.is_probability else 0
        work = sum(len(heads) * (len(tails) + besides) for _, heads, tails in self._places())
        return spent * work / (len(heads) * (len(tails) + besides))

    def run(self, progress: Progress | None = None, stop: Stop | None = None) -> Discoveries:
        """Look at all pairs; or at as many as there is time for until `stop` says so."""
        check_memory(
            _A_FACT * self.rules.per_head * self.model.graph.n_entities,
            f"to keep {self.rules.per_head:,} facts of {self.model.graph.n_entities:,} heads",
            "a lower per_head takes less",
        )
        total, done, complete = self.pairs(), 0, True
        best = _Best.empty(self.model.graph.n_entities, self.rules.per_head)
        if progress is not None:
            progress(0, total)
        for relation, found in self._found():
            best.merge(relation, found, self.order, self.rules.least)
            done += found.pairs
            if progress is not None:
                progress(done, total)
            if stop is not None and done < total and stop():
                complete = False
                break
        return self._told(best, done, complete)

    def _found(self) -> Iterator[tuple[int, Found]]:
        for relation, heads, tails in self._places():
            for found in self._look(relation, heads, tails):
                yield relation, found

    def _places(self) -> Iterator[tuple[int, Ids, Ids]]:
        """Each relation with the heads and tails that it may have."""
        places = Places(self.model.graph, self.rules.types)
        for relation in self.relations:
            heads, tails = places.fit(relation, "head"), places.fit(relation, "tail")
            if len(heads) and len(tails):
                yield relation, heads, tails

    def _look(self, relation: int, heads: Ids, tails: Ids) -> Iterator[Found]:
        most = min(self.rules.per_head, len(tails))
        threads = thread_count(self.threads)
        return best_new_tails(self.model, relation, heads, tails, most, threads)

    def _told(self, best: _Best, pairs: int, complete: bool) -> Discoveries:
        heads, relations, tails, energies, values = best.facts()
        order = np.lexsort((tails, heads, relations, -values))
        order = order[_first_of_each(tails[order], self.rules.per_tail)]
        if self.rules.per_relation is not None:
            order = order[_first_of_each(relations[order], self.rules.per_relation)]
        graph = self.model.graph
        entity, named = graph.entities, graph.relations
        rows = []
        for rank, i in enumerate(order[: self.rules.top].tolist(), start=1):
            h, r, t = int(heads[i]), int(relations[i]), int(tails[i])
            value = float(values[i])
            rows.append(
                Discovery(
                    *(rank, entity.label(h), named.label(r), entity.label(t)),
                    *(entity.display(h), named.display(r), entity.display(t)),
                    score=-float(energies[i]),
                    probability=value if self.order.is_probability else None,
                    standing=None if self.order.is_probability else value,
                )
            )
        return Discoveries(tuple(rows), pairs, complete)


@dataclass(frozen=True, eq=False)
class _Best:
    """The best facts of each head so far, a row a head, best first; relation −1 where is none."""

    values: Values
    relations: NDArray[np.int32]
    tails: NDArray[np.int32]
    energies: NDArray[np.float32]

    @staticmethod
    def empty(n_entities: int, most: int) -> _Best:
        shape = (n_entities, most)
        return _Best(
            np.full(shape, -np.inf),
            np.full(shape, -1, np.int32),
            np.full(shape, -1, np.int32),
            np.zeros(shape, np.float32),
        )

    def merge(self, relation: int, found: Found, order: Order, least: float) -> None:
        """Take over what is better than what is there; of equal ones the earlier stays."""
        is_found = found.tails >= 0
        energies = np.where(is_found, found.energies, 0.0)
        values = order.plausibility(relation, found.heads, energies)
        values = np.where(is_found & (values >= least), values, -np.inf)
        heads = found.heads
        together = np.concatenate([self.values[heads], values], axis=1)
        kept = np.argsort(-together, axis=1, kind="stable")[:, : self.values.shape[1]]
        fresh = np.where(np.isneginf(values), -1, relation).astype(np.int32)
        for mine, theirs in (
            (self.values, values),
            (self.relations, fresh),
            (self.tails, found.tails.astype(np.int32)),
            (self.energies, energies.astype(np.float32)),
        ):
            both = np.concatenate([mine[heads], theirs], axis=1)
            mine[heads] = np.take_along_axis(both, kept, axis=1)

    def facts(self) -> tuple[Ids, Ids, Ids, NDArray[np.float32], Values]:
        """Heads, relations, tails, energies and plausibilities of all that are kept."""
        heads, places = np.nonzero(self.relations >= 0)
        at = heads, places
        relations, tails = self.relations[at].astype(np.int64), self.tails[at].astype(np.int64)
        return heads, relations, tails, self.energies[at], self.values[at]


def _first_of_each(groups: Ids, most: int) -> Ids:
    """The positions of the first so many of each group, in order."""
    order = np.argsort(groups, kind="stable")
    begins = np.flatnonzero(np.append(True, np.diff(groups[order]) != 0)) if len(groups) else order
    sizes = np.diff(np.append(begins, len(groups)))
    place = np.arange(len(groups)) - np.repeat(begins, sizes)
    return np.sort(order[place < most])
