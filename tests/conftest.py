"""What tests share."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import numpy as np
import pytest

from transa import Graph, TransA, Vocabulary

# The first example of a test may wait for a kernel to compile, and any of them for a busy machine.
hypothesis.settings.register_profile("unhurried", deadline=None)
hypothesis.settings.load_profile("unhurried")

_BESIDE_THE_REPOSITORY = Path(__file__).parents[2] / "shared" / "datasets"


@pytest.fixture(scope="session")
def datasets() -> Path:
    """The folder of benchmark graphs."""
    named = os.environ.get("TRANSA_DATA")
    folder = Path(named) if named else _BESIDE_THE_REPOSITORY
    if not folder.is_dir():
        pytest.skip(f"no benchmark graphs: there is no folder {folder}; TRANSA_DATA can name one")
    return folder


@pytest.fixture(scope="session")
def atlas() -> Graph:
    """Six countries and their capitals; labels that are codes, names that are awkward."""
    names = ["France", "Spain", "Portugal", "Belgium", "Germany", "[Atlantis]"]
    capitals = ["Paris", "Madrid", "Lisbon", "Brussels", "Berlin", None]
    codes = ["fr", "es", "pt", "be", "de", "xx", "p a", "m a", "l i", "b r", "b e", "q"]
    neighbours = [(0, 1), (1, 2), (0, 3), (0, 4), (3, 4)]
    borders = [(a, 0, b) for one, other in neighbours for a, b in ((one, other), (other, one))]
    capital = [(country, 1, country + 6) for country in range(6)]
    return Graph(
        train=np.array(borders[:-2] + capital[1:], dtype=np.int32),
        valid=np.array(borders[-2:], dtype=np.int32),
        test=np.array(capital[:1], dtype=np.int32),
        entities=Vocabulary("entity", codes, names + capitals),
        relations=Vocabulary("relation", ["borders", "capital"]),
        name="atlas",
    )


@pytest.fixture(scope="session")
def fitted(atlas: Graph) -> TransA:
    """A model of the atlas. Shared by all tests: not to be fitted again."""
    options = {"epochs": 6, "validate_every": 2, "patience": 0, "threads": 1}
    return TransA(dim=8, **options).fit(atlas)
