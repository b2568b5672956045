"""The best of each question against a sort of all energies."""

from __future__ import annotations

import numpy as np
import pytest

from transa.kernels.ranking.best import Asked, best_by_distance, best_of_energies


def expected(energies, ids, asked, most):
    """The ids of the best new candidates of each question, ties by id; −1 where are no more."""
    rows = []
    for q, row in enumerate(energies):
        known = set(asked.known[asked.known_start[q] : asked.known_stop[q]].tolist())
        known |= set() if asked.loops else {int(asked.head[q])}
        new = [(e, i) for e, i in zip(row.tolist(), ids.tolist(), strict=True) if i not in known]
        best = [i for _, i in sorted(new)[:most]]
        rows.append(best + [-1] * (most - len(best)))
    return rows


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("loops", [False, True])
@pytest.mark.parametrize(("candidates", "most"), [(1, 1), (64, 3), (150, 10), (5, 9)])
def test_the_best_are_the_head_of_a_sort(squared, loops, candidates, most):
    rng = np.random.default_rng(candidates)
    # In steps of 1/4, so that there are ties and sums are exact.
    points = (rng.integers(-8, 8, (20, 6)) / 4).astype(np.float32)
    ids = np.sort(rng.choice(200, candidates, replace=False))
    rows = (rng.integers(-8, 8, (candidates, 6)) / 4).astype(np.float32)
    known = [np.flatnonzero(rng.random(200) < 0.3) for _ in range(20)]
    ends = np.cumsum([0, *map(len, known)])
    head = rng.choice(ids, 20)
    asked = Asked(head, ends[:-1], ends[1:], np.concatenate(known).astype(np.int32), loops)
    apart = points[:, None] - rows[None]
    energies = ((apart**2).sum(-1) if squared else abs(apart).sum(-1)).astype(np.float32)
    for offer in (
        lambda *room: best_by_distance(points, rows, ids, squared, asked, *room),
        lambda *room: best_of_energies(energies, ids, asked, *room),
    ):
        best = np.full((20, most), np.inf, np.float32)
        best_id = np.full((20, most), -1, np.int64)
        offer(best, best_id)
        assert best_id.tolist() == expected(energies, ids, asked, most)
        found = best_id >= 0
        assert np.isinf(best[~found]).all()
        place = np.searchsorted(ids, np.where(found, best_id, ids[0]))
        assert (best[found] == np.take_along_axis(energies, place, 1)[found]).all()
