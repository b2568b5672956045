from __future__ import annotations

import numpy as np
import pytest

import transa
from transa.graph import Graph


@pytest.fixture(scope="session")
def road() -> Graph:
    """Forty towns along a road; what is near and what comes next."""
    towns = range(40)
    near = [(f"t{i}", "near", f"t{j}") for i in towns for j in towns if 0 < abs(i - j) < 4]
    following = [(f"t{i}", "next", f"t{i + 1}") for i in towns[:-1]]
    return transa.from_labels([*near, *following], split=(0.8, 0.1, 0.1), name="road")


@pytest.fixture(scope="session")
def off_road() -> Graph:
    """Another graph, also with a validation split."""
    rng = np.random.default_rng(0)
    ids = np.stack([rng.integers(0, n, 80) for n in (20, 2, 20)], axis=1)
    return transa.from_ids(ids, split=(0.8, 0.1, 0.1), name="wild")
