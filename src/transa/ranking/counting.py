"""Three ways to count the candidates that beat the true answer; they agree.

`count_points` is for energies that are distances among the rows of the tables themselves: the
kernel computes and compares block by block and keeps nothing; squared distances come from matrix
products.
`count_by_relation` is for those that are distances among the entities as a relation sees them.
`count_generic` is for every other energy: PyTorch computes all energies of a few questions at a
time. All fill the rows of `counts`, one per true answer, with the columns of
`transa.kernels.ranking.counting`, and yield how many answers they have just counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from transa.errors import InputError
from transa.graph.known import Side
from transa.kernels.questions.moduli import score_moduli
from transa.kernels.ranking.counting import count_energies, count_translations
from transa.kernels.threads import over_spans
from transa.models import Energy, Tables
from transa.models.fused import DistanceView
from transa.models.tensors import Tensor, as_tensors
from transa.ranking.crowds import crowds_counted, energies_of_all
from transa.ranking.questions import Asked
from transa.ranking.screening import FEWEST, count_by_products, one_thread_a_product

# Questions a thread takes at a time: enough that transposing the entities is under 2 % of the work.
TILE = 1024

# Relations that a thread takes between two reports of how far it is.
_RELATIONS = 16

# Floats in the largest temporary of the generic path: 16 MB.
BUDGET = 1 << 22


def count_points(
    view: DistanceView,
    parameters: Tables,
    asked: Asked,
    counts: NDArray[np.int64],
    threads: int,
) -> Iterator[int]:
    """Count with the kernel for translations."""
    entity, relation = constant(parameters["entity"]), constant(parameters["relation"])
    # The root changes no order, so that both L2 energies are compared squared.
    squared = view.norm != "l1"
    step = threads * TILE
    for start in range(0, len(asked), step):
        stop = min(start + step, len(asked))
        part, rows = asked.part(start, stop), asked.answers_of(start, stop)
        count_span = partial(_count_span, entity, relation, squared, part, counts[rows])
        with one_thread_a_product():
            over_spans(count_span, len(part), min(threads, len(part)))
        yield rows.stop - rows.start


def _count_span(
    entity: NDArray[np.float32],
    relation: NDArray[np.float32],
    squared: bool,
    asked: Asked,
    counts: NDArray[np.int64],
    _: int,
    start: int,
    stop: int,
) -> None:
    """Count for the questions start .. stop − 1."""
    part, part_counts = asked.part(start, stop), counts[asked.answers_of(start, stop)]
    asked_of = translated(entity, relation, part.side, part.relation, part.anchor)
    points, shifts, shift_of = asked_of[1:]

    def energies_of(q: int) -> NDArray[np.float32]:
        return energies_of_all(entity, points[q], shifts[shift_of[q]], squared)

    with crowds_counted(part.questions, part_counts, energies_of) as (questions, found):
        if squared and len(part) >= FEWEST:
            count_by_products(*asked_of, questions, found)
        else:
            count_translations(*asked_of, squared, questions, found)


def translated(
    entity: NDArray[np.float32],
    relation: NDArray[np.float32],
    side: Side,
    relations: NDArray[np.int64],
    anchors: NDArray[np.int64],
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], NDArray[np.int64]]:
    """Questions as kernels take them: candidates, points, shifts and whose shift is which.

    A head is moved and compared with t, (e + r) − t; a tail stays and is compared with h + r. That
    is how the energy is defined, so that both sides agree to the bit.
    """
    points = entity[anchors]
    if side == "head":
        return entity, points, relation, relations
    points += relation[relations]
    return entity, points, constant(np.zeros_like(relation[:1])), np.zeros_like(relations)


def count_by_relation(
    view: DistanceView,
    parameters: Tables,
    asked: Asked,
    counts: NDArray[np.int64],
    threads: int,
) -> Iterator[int]:
    """Count with the kernel for translations, relation by relation."""
    assert view.of_relation is not None  # noqa: S101 (narrows the type)
    seen, squared = view.of_relation, view.norm != "l1"
    spans = list(spans_of_one_relation(asked.relation, TILE))

    def count(some: list[tuple[int, int]], _: int, first: int, last: int) -> None:
        for start, stop in some[first:last]:
            part, rows = asked.part(start, stop), asked.answers_of(start, stop)
            points, translation = seen(parameters, int(part.relation[0]))
            alone = replace(part, relation=np.zeros_like(part.relation))
            tables = constant(points), constant(translation[None])
            _count_span(*tables, squared, alone, counts[rows], 0, 0, len(part))

    step = threads * _RELATIONS
    for first in range(0, len(spans), step):
        some = spans[first : first + step]
        with one_thread_a_product():
            over_spans(partial(count, some), len(some), threads)
        rows = asked.answers_of(some[0][0], some[-1][1])
        yield rows.stop - rows.start


def count_generic(
    energy: Energy, parameters: Tables, asked: Asked, counts: NDArray[np.int64], threads: int
) -> Iterator[int]:
    """Count with the energy's own definition, in PyTorch.

    The true energies are read from the same rows as the candidates', not computed apart: they could
    differ in the last bit.
    """
    import torch

    tensors = as_tensors(parameters)
    n_entities = len(parameters["entity"])
    for start, stop in spans_of_one_relation(asked.relation, max(1, BUDGET // n_entities)):
        part, rows = asked.part(start, stop), asked.answers_of(start, stop)
        with torch.no_grad():
            energies = all_energies(
                energy, tensors, part.side, part.relation, part.anchor, n_entities, threads
            )
        with crowds_counted(part.questions, counts[rows], energies.__getitem__) as asked_of:
            count_energies(energies, *asked_of)
        yield rows.stop - rows.start


def spans_of_one_relation(relation: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Spans of sorted questions, at most so long, that share a relation.

    What a relation does to all candidates, by a matrix of its own for example, is then done once.
    """
    ends = [*(np.flatnonzero(np.diff(relation)) + 1), len(relation)]
    start = 0
    for end in ends:
        while start < end:
            stop = min(start + most, end)
            yield start, stop
            start = stop


def all_energies(
    energy: Energy,
    tensors: dict[str, Tensor],
    side: Side,
    relations: NDArray[np.int64],
    anchors: NDArray[np.int64],
    n_entities: int,
    threads: int = 1,
) -> NDArray[np.float32]:
    """Energies of all entities as answers to questions of one relation.

    A row per question, chunks of columns at a time.
    """
    import torch

    energies = np.empty((len(anchors), n_entities), dtype=np.float32)
    anchor, relation = torch.from_numpy(anchors), torch.from_numpy(relations[:1])
    queries = energy.queries()
    if queries is not None and queries.moduli:
        rows, turn = tensors["entity"], tensors[queries.relation][relation]
        points = queries.of(rows[anchor], turn, at_tail=side == "tail").numpy()
        _fill_by_moduli(energies, points, rows.numpy(), threads)
    else:
        # A matrix product leaves one float a pair, and all else a vector.
        floats_a_pair = 1 if energy.by_products else energy.dim
        width = max(1, BUDGET // (len(anchors) * floats_a_pair))
        anchor, relation = anchor[:, None], relation[:, None]
        for start in range(0, n_entities, width):
            stop = min(start + width, n_entities)
            candidates = torch.arange(start, stop)[None, :]
            head, tail = (candidates, anchor) if side == "head" else (anchor, candidates)
            energies[:, start:stop] = energy.energy(tensors, head, relation, tail).numpy()
    if np.isnan(energies).any():
        raise InputError("some energies are not a number, so there are no ranks")
    return energies


def _fill_by_moduli(
    energies: NDArray[np.float32],
    points: NDArray[np.float32],
    rows: NDArray[np.float32],
    threads: int,
) -> None:
    """Distances of questions' points from all entities."""

    def score(_: int, first: int, last: int) -> None:
        score_moduli(points, rows[first:last], energies[:, first:last])

    over_spans(score, len(rows), threads)
    np.negative(energies, out=energies)


def constant(table: NDArray[np.float32]) -> NDArray[np.float32]:
    """A read-only view, so that a kernel is compiled once for arrays that are and that are not."""
    view = np.ascontiguousarray(table, dtype=np.float32).view()
    view.setflags(write=False)
    return view
