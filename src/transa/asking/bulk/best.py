"""The best answers to many questions at once, by the kernels that rank.

Questions that repeat are answered once. What is held at a time is what the caller asks for, k
answers a question; no array has a place for every question and every entity, but that of models
whose energy is no distance, where PyTorch computes 16 MB of energies at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transa.graph.candidates import left_out
from transa.graph.known import GAP, SIDES, KnownIndex, Side, columns_of
from transa.kernels.ranking.best import Asked, best_by_translation, best_of_energies
from transa.kernels.threads import over_spans, thread_count
from transa.models.energy import inverse_of
from transa.models.fitted import FittedModel
from transa.models.fused import DistanceView
from transa.ranking.counting import (
    BUDGET,
    all_energies,
    constant,
    spans_of_one_relation,
    translated,
)
from transa.ranking.ranks import check_finite
from transa.ranking.screening import FEWEST, best_by_products, one_thread_a_product

NOBODY = -1
"""Stands where there are no more answers."""

Ids = NDArray[np.int64]
Energies = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Best:
    """Answers to questions of any kind: a row a question, the best first.

    Attributes:
        ids: (n, k), of entities or relations, whatever was asked for; `NOBODY` where there are no
            more.
        energies: (n, k), ascending; infinite there.
    """

    ids: Ids
    energies: Energies


def best_new(
    model: FittedModel, questions: Ids, k: int, *, known: KnownIndex | None = None, threads: int = 0
) -> Best:
    """The k best candidates of each question that are no known answers.

    Args:
        model: whose energies decide.
        questions: ids (n, 3), of each row one place a `GAP`.
        k: how many; ties are decided by the lower id.
        known: what counts as known; by default all of the graph.
        threads: 0 means all cores.
    """
    check_finite(model)
    known, threads = known or model.known, thread_count(threads)
    ids = np.full((len(questions), k), NOBODY, dtype=np.int64)
    found = np.full((len(questions), k), np.inf, dtype=np.float32)
    for side in SIDES:
        anchor, gap = columns_of(side)
        rows = np.flatnonzero(questions[:, gap] == GAP)
        if len(rows):
            keys = questions[rows, 1] * known.n_entities + questions[rows, anchor]
            distinct, place = np.unique(keys, return_inverse=True)
            best = _Room.of(len(distinct), k)
            _best_entities(model, known, side, distinct, best, threads)
            ids[rows], found[rows] = best.ids[place], best.energies[place]
    rows = np.flatnonzero(questions[:, 1] == GAP)
    if len(rows):
        keys = questions[rows, 0] * known.n_entities + questions[rows, 2]
        distinct, place = np.unique(keys, return_inverse=True)
        best = _Room.of(len(distinct), k)
        _best_relations(model, known, distinct, best)
        ids[rows], found[rows] = best.ids[place], best.energies[place]
    return Best(ids, found)


@dataclass(frozen=True, eq=False)
class _Room:
    """Where the best of some questions are gathered."""

    ids: Ids
    energies: Energies

    @classmethod
    def of(cls, questions: int, k: int) -> _Room:
        return cls(
            np.full((questions, k), NOBODY, dtype=np.int64),
            np.full((questions, k), np.inf, dtype=np.float32),
        )


@dataclass(frozen=True, eq=False)
class _Questions:
    """Distinct questions for the entities of one side, sorted by relation, and who is no answer."""

    side: Side
    relation: Ids
    anchor: Ids
    left_out: Asked

    def part(self, rows: slice) -> _Questions:
        out = self.left_out
        some = Asked(
            out.head[rows], out.known_start[rows], out.known_stop[rows], out.known, out.loops
        )
        return _Questions(self.side, self.relation[rows], self.anchor[rows], some)

    def __len__(self) -> int:
        return len(self.relation)


def _best_entities(
    model: FittedModel, known: KnownIndex, side: Side, keys: Ids, best: _Room, threads: int
) -> None:
    relation, anchor = np.divmod(keys, known.n_entities)
    # The entity asked about is among those left out, where it is none: nothing is left to decide.
    start, stop, nobody = left_out(known, side, keys)
    asked = _Questions(side, relation, anchor, Asked(anchor, start, stop, nobody, True))
    if side == "head" and model.energy.reciprocal:
        inverse = inverse_of(model.energy, model.tables, relation)
        asked = _Questions("tail", inverse, anchor, asked.left_out)
    view = model.energy.distance_view()
    if view is None:
        _by_energies(model, asked, best)
    elif view.of_relation is None:
        _by_points(view, model, asked, best, threads)
    else:
        _by_relation(view, model, asked, best, threads)
    if view is not None and view.norm == "l2":
        np.sqrt(best.energies, out=best.energies)


def _by_points(
    view: DistanceView, model: FittedModel, asked: _Questions, best: _Room, threads: int
) -> None:
    entity, relation = constant(model.tables["entity"]), constant(model.tables["relation"])

    def answer(_: int, start: int, stop: int) -> None:
        _translate(entity, relation, view, asked, best, slice(start, stop))

    with one_thread_a_product():
        over_spans(answer, len(asked), min(threads, len(asked)))


def _by_relation(
    view: DistanceView, model: FittedModel, asked: _Questions, best: _Room, threads: int
) -> None:
    assert view.of_relation is not None  # noqa: S101 (narrows the type)
    seen, spans = view.of_relation, list(spans_of_one_relation(asked.relation, len(asked)))

    def answer(_: int, first: int, last: int) -> None:
        for start, stop in spans[first:last]:
            points, translation = seen(model.tables, int(asked.relation[start]))
            alone = _Questions(
                asked.side, np.zeros_like(asked.relation), asked.anchor, asked.left_out
            )
            tables = constant(points), constant(translation[None])
            _translate(*tables, view, alone, best, slice(start, stop))

    with one_thread_a_product():
        over_spans(answer, len(spans), min(threads, len(spans)))


def _translate(
    entity: Energies,
    relation: Energies,
    view: DistanceView,
    asked: _Questions,
    best: _Room,
    rows: slice,
) -> None:
    part, squared = asked.part(rows), view.norm != "l1"
    points = translated(entity, relation, part.side, part.relation, part.anchor)
    room = best.energies[rows], best.ids[rows]
    if squared and len(part) >= FEWEST:
        best_by_products(*points, part.left_out, *room)
    else:
        best_by_translation(*points, squared, part.left_out, *room)


def _by_energies(model: FittedModel, asked: _Questions, best: _Room) -> None:
    """By the energy's own definition, in PyTorch."""
    import torch

    from transa.models.tensors import as_tensors

    tensors, n = as_tensors(model.tables), model.graph.n_entities
    for start, stop in spans_of_one_relation(asked.relation, max(1, BUDGET // n)):
        rows = slice(start, stop)
        part = asked.part(rows)
        with torch.no_grad():
            energies = all_energies(model.energy, tensors, part.side, part.relation, part.anchor, n)
        best_of_energies(energies, np.arange(n), part.left_out, best.energies[rows], best.ids[rows])


def _best_relations(model: FittedModel, known: KnownIndex, keys: Ids, best: _Room) -> None:
    """Of questions (h, ?, t), whose keys are h · n_entities + t."""
    head, tail = np.divmod(keys, known.n_entities)
    start, stop = known.relations.spans(keys)
    n = model.graph.n_relations
    step = max(1, BUDGET // (n * model.energy.dim))
    for first in range(0, len(keys), step):
        rows = slice(first, first + step)
        h, t = np.repeat(head[rows], n), np.repeat(tail[rows], n)
        every = np.tile(np.arange(n), len(h) // n)
        energies = model.energies_asked(1, h, every, t).reshape(-1, n)
        asked = Asked(head[rows], start[rows], stop[rows], known.relations.answers, True)
        best_of_energies(energies, np.arange(n), asked, best.energies[rows], best.ids[rows])
