from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from experiments.catalogue import experiment_named
from experiments.running.runner import Runner
from experiments.running.scale import Scale
from experiments.running.tasks import Links
from experiments.running.unit import Unit
from transa.settings.config import make_settings

RELATIONS = 5


@pytest.fixture(scope="session")
def ring(tmp_path_factory) -> str:
    """A file of triples: thirty places on a ring, and steps of one to five between them."""
    file = tmp_path_factory.mktemp("ring") / "ring.tsv"
    steps = [(i, k, (i + k) % 30) for i in range(30) for k in range(1, RELATIONS + 1)]
    order = np.random.default_rng(0).permutation(len(steps))
    lines = ["place{}\tstep{}\tplace{}\n".format(*steps[i]) for i in order]
    file.write_text("".join(lines))
    return str(file)


@pytest.fixture(scope="session")
def scale(ring) -> Scale:
    """As small as it gets."""
    return Scale(quick=True, graphs=(ring,))


@pytest.fixture(scope="session")
def ran(scale, tmp_path_factory) -> Callable[[str], Path]:
    """Run an experiment on the ring, once for all tests; the folder of its records."""

    @cache
    def folder_of(name: str) -> Path:
        folder = tmp_path_factory.mktemp("ran")
        experiment_named(name).run(Runner(folder, threads=1), scale)
        return folder

    return folder_of


@pytest.fixture
def runner(tmp_path) -> Runner:
    return Runner(tmp_path / "records", threads=1)


@pytest.fixture
def unit(ring) -> Unit:
    """A short run of TransA."""
    settings = make_settings("transa", dim=8, epochs=4, validate_every=2, negatives=2)
    return Unit("trial", {"row": "TransA"}, ring, settings, Links())
