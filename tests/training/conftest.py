from __future__ import annotations

import numpy as np
import pytest

from transa.graph import Graph, Vocabulary

SIDE = 7


@pytest.fixture(scope="session")
def grid() -> Graph:
    """Squares of a board: right, left, up and down; every sixth 'right' is held out."""
    square = np.arange(SIDE * SIDE, dtype=np.int32).reshape(SIDE, SIDE)
    steps = [
        (square[:, :-1], 0, square[:, 1:]),
        (square[:, 1:], 1, square[:, :-1]),
        (square[1:], 2, square[:-1]),
        (square[:-1], 3, square[1:]),
    ]
    triples = np.concatenate(
        [
            np.stack([a.ravel(), np.full(a.size, r, dtype=np.int32), b.ravel()], axis=1)
            for a, r, b in steps
        ]
    )
    held_out = np.arange(0, SIDE * (SIDE - 1), 6)
    return Graph(
        np.delete(triples, held_out, axis=0),
        Vocabulary("entity", [f"square {i}" for i in range(SIDE * SIDE)]),
        Vocabulary("relation", ["right", "left", "up", "down"]),
        valid=triples[held_out],
        name="grid",
    )
