"""The best new tails of many heads of one relation, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transa.asking.reasons.facts import Ids
from transa.kernels.ranking.best import Asked, best_by_distance, best_of_energies
from transa.kernels.threads import over_spans
from transa.models.fitted import FittedModel

# Pairs between two looks at the clock and at Ctrl-C: some tenths of a second.
_PAIRS = 1 << 25
# Candidates whose rows are gathered at a time, and questions of the generic path: 16 MB of floats.
_ROWS, _BUDGET = 1 << 15, 1 << 22


@dataclass(frozen=True, eq=False)
class Found:
    """The best tails of some heads: a row a head, the best first, −1 where there are no more."""

    heads: Ids
    tails: Ids
    energies: NDArray[np.float64]
    pairs: int


def best_new_tails(
    model: FittedModel, relation: int, heads: Ids, tails: Ids, most: int, threads: int
) -> Iterator[Found]:
    """At most so many new tails of each head, as `predict_tails` has them; some heads at a time."""
    step = max(1, _PAIRS // max(1, len(tails)))
    for start in range(0, len(heads), step):
        some = heads[start : start + step]
        asked = _asked(model, relation, some)
        view = model.energy.distance_view()
        if view is None:
            best, ids = _of_energies(model, relation, asked, tails, most)
        else:
            squared = view.norm != "l1"
            if view.of_relation is None:
                points, shift = model.tables["entity"], model.tables["relation"][relation]
            else:
                points, shift = view.of_relation(model.tables, relation)
            best, ids = _by_distance(points, shift, asked, tails, squared, most, threads)
            best = np.sqrt(best) if view.norm == "l2" else best
        yield Found(some, ids, best, len(some) * len(tails))


def _asked(model: FittedModel, relation: int, heads: Ids) -> Asked:
    known = model.known
    start, stop = known.tails.spans(relation * np.int64(known.n_entities) + heads)
    loops = bool(known.has_loops[relation])
    return Asked(heads, start, stop, known.tails.answers, loops)


def _room(questions: int, most: int) -> tuple[NDArray[np.float32], Ids]:
    return np.full((questions, most), np.inf, np.float32), np.full((questions, most), -1, np.int64)


def _by_distance(
    entity: NDArray[np.float32],
    shift: NDArray[np.float32],
    asked: Asked,
    tails: Ids,
    squared: bool,
    most: int,
    threads: int,
) -> tuple[NDArray[np.float64], Ids]:
    """By the kernel, questions over threads."""
    best, ids = _room(len(asked.head), most)
    for first in range(0, len(tails), _ROWS):
        some = tails[first : first + _ROWS]
        rows = np.ascontiguousarray(entity[some])

        def offer(
            _: int,
            start: int,
            stop: int,
            some: Ids = some,
            rows: NDArray[np.float32] = rows,
        ) -> None:
            part = slice(start, stop)
            points = entity[asked.head[part]] + shift
            these = asked._replace(
                head=asked.head[part],
                known_start=asked.known_start[part],
                known_stop=asked.known_stop[part],
            )
            best_by_distance(points, rows, some, squared, these, best[part], ids[part])

        over_spans(offer, len(asked.head), min(threads, len(asked.head)))
    return best.astype(np.float64), ids


def _of_energies(
    model: FittedModel, relation: int, asked: Asked, tails: Ids, most: int
) -> tuple[NDArray[np.float64], Ids]:
    """By the energy's own definition, in PyTorch: a few questions and candidates at a time."""
    best, ids = _room(len(asked.head), most)
    a_pair = 1 if model.energy.by_products else model.energy.dim
    width = max(1, min(len(tails), _BUDGET // a_pair))
    height = max(1, _BUDGET // (width * a_pair))
    for start in range(0, len(asked.head), height):
        part = slice(start, start + height)
        these = asked._replace(
            head=asked.head[part],
            known_start=asked.known_start[part],
            known_stop=asked.known_stop[part],
        )
        for first in range(0, len(tails), width):
            some = tails[first : first + width]
            energies = _energies(model, relation, these.head, some)
            best_of_energies(energies, some, these, best[part], ids[part])
    return best.astype(np.float64), ids


def _energies(model: FittedModel, relation: int, heads: Ids, tails: Ids) -> NDArray[np.float32]:
    """f_r(h, t) of all pairs, a row a head."""
    import torch

    from transa.models.tensors import as_tensors

    tensors = as_tensors(model.tables)
    h, t = torch.from_numpy(heads)[:, None], torch.from_numpy(np.ascontiguousarray(tails))[None, :]
    r = torch.tensor([[relation]])
    with torch.no_grad():
        found = model.energy.energy(tensors, h, r, t)
        energies: NDArray[np.float32] = found.contiguous().numpy()
    return energies
