"""An index of vectors by distance or by product, made and searched by FAISS.

A search looks at a few hundred vectors of a million. It may miss one: `benchmarks/works/neighbours`
tells how often. Links are made by all threads at once, so that no two indices are quite the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from transa.asking.neighbours.links import Links
from transa.errors import optional
from transa.models.energy import Norm

Metric: TypeAlias = Literal["l1", "l2", "product"]

_WIDTH = 32
# Candidates that are kept in view while links are made, and while they are followed.
_MAKING, _SEARCHING = 100, 256
# Rows that are added at a time, so that no second copy of a table is made.
_ROWS = 1 << 16


def metric_of(norm: Norm) -> Metric:
    """The metric that orders as a norm does."""
    return "l1" if norm == "l1" else "l2"


@dataclass(frozen=True, eq=False)
class NeighbourIndex:
    """Vectors that can be asked who is nearest; threads may share it.

    Attributes:
        metric: of 'product', the nearest is the one with the largest product.
        links: what it is kept as.
    """

    metric: Metric
    links: Links
    _native: Any

    def __len__(self) -> int:
        return len(self.links)

    def nearest(self, points: NDArray[np.float32], k: int) -> NDArray[np.int64]:
        """(n, k): the ids of those nearest to each point, nearest first; −1 where none is left."""
        parameters = _faiss().SearchParametersHNSW(efSearch=max(_SEARCHING, 2 * k))
        points = np.ascontiguousarray(points, dtype=np.float32)
        found: NDArray[np.int64] = self._native.search(points, k, params=parameters)[1]
        return found


def build_index(vectors: NDArray[np.float32], metric: Metric) -> NeighbourIndex:
    """Link all vectors: minutes for a million."""
    faiss = _faiss()
    native = _empty(vectors.shape[1], _WIDTH, metric)
    native.hnsw.efConstruction = _MAKING
    for start in range(0, len(vectors), _ROWS):
        native.add(np.ascontiguousarray(vectors[start : start + _ROWS]))
    links = Links(
        _WIDTH,
        int(native.hnsw.entry_point),
        faiss.vector_to_array(native.hnsw.levels).astype(np.int32),
        faiss.vector_to_array(native.hnsw.neighbors).astype(np.int32),
    )
    return NeighbourIndex(metric, links, native)


def restore_index(vectors: NDArray[np.float32], metric: Metric, links: Links) -> NeighbourIndex:
    """The index that had these links, once they are found to be sound.

    Raises:
        StoreError: if they are not.
    """
    links.check(len(vectors))
    faiss = _faiss()
    native = _empty(vectors.shape[1], links.width, metric)
    for start in range(0, len(vectors), _ROWS):
        native.storage.add(np.ascontiguousarray(vectors[start : start + _ROWS]))
    hnsw = native.hnsw
    faiss.copy_array_to_vector(links.floors, hnsw.levels)
    faiss.copy_array_to_vector(links.ends.astype(np.uint64), hnsw.offsets)
    faiss.copy_array_to_vector(links.others, hnsw.neighbors)
    hnsw.entry_point, hnsw.max_level = links.entry, int(links.floors.max()) - 1
    native.ntotal = len(vectors)
    return NeighbourIndex(metric, links, native)


def _empty(dim: int, width: int, metric: Metric) -> Any:  # noqa: ANN401 (FAISS has no types)
    faiss = _faiss()
    codes = {
        "l1": faiss.METRIC_L1,
        "l2": faiss.METRIC_L2,
        "product": faiss.METRIC_INNER_PRODUCT,
    }
    return faiss.IndexHNSWFlat(dim, width, codes[metric])


def _faiss() -> Any:  # noqa: ANN401
    return optional("faiss", "ann", "an index of neighbours")
