"""Questions, as points, compared with candidates' rows: by products, or by distances of moduli."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from transa.kernels.questions.moduli import differentiate_moduli, score_moduli
from transa.kernels.threads import over_spans

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Comparison:
    """Of n points (n, d) with m rows (m, d), on so many threads.

    Attributes:
        score: fills scores (n, m), minus energies: ``score(points, rows, scores, threads)``.
        differentiate: given derivatives by the scores, writes those by the points and adds those by
            the rows: ``differentiate(points, rows, slopes, by_points, by_rows, threads)``.
    """

    score: Callable[[Floats, Floats, Floats, int], None]
    differentiate: Callable[[Floats, Floats, Floats, Floats, Floats, int], None]


def _score_by_products(points: Floats, rows: Floats, scores: Floats, _: int) -> None:
    from torch import from_numpy, mm

    mm(from_numpy(points), from_numpy(rows).T, out=from_numpy(scores))


def _differentiate_products(
    points: Floats, rows: Floats, slopes: Floats, by_points: Floats, by_rows: Floats, _: int
) -> None:
    from torch import from_numpy, mm

    mm(from_numpy(slopes), from_numpy(rows), out=from_numpy(by_points))
    from_numpy(by_rows).addmm_(from_numpy(slopes).T, from_numpy(points))


def _score_by_moduli(points: Floats, rows: Floats, scores: Floats, threads: int) -> None:
    def work(_: int, first: int, last: int) -> None:
        score_moduli(points, rows[first:last], scores[:, first:last])

    over_spans(work, len(rows), threads)


def _differentiate_moduli(
    points: Floats, rows: Floats, slopes: Floats, by_points: Floats, by_rows: Floats, threads: int
) -> None:
    # Each thread has rows of its own, and derivatives by the points that are then added up.
    parts = np.zeros((threads, *points.shape), np.float32)

    def work(span: int, first: int, last: int) -> None:
        some = slice(first, last)
        differentiate_moduli(points, rows[some], slopes[:, some], parts[span], by_rows[some])

    over_spans(work, len(rows), threads)
    np.sum(parts, axis=0, out=by_points)


PRODUCTS = Comparison(_score_by_products, _differentiate_products)
MODULI = Comparison(_score_by_moduli, _differentiate_moduli)
