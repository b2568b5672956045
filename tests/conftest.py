"""What tests share."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    return TransA(dim=8, loss="logistic", **options).fit(atlas)


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, as a machine reads it."""
        return json.loads(self.out)

    def is_refused(self, *words: str) -> bool:
        """One sentence on stderr with these words, nothing on stdout, exit code 2."""
        lines = self.err.splitlines()
        one = len(lines) == 1 and lines[0].startswith("transa: ")
        return one and self.code == 2 and not self.out and all(word in self.err for word in words)


@pytest.fixture
def call_in_process(monkeypatch, capfd):
    """Of a function that runs the command line, one that is handed its arguments."""

    def with_arguments(run):
        def call(*arguments: object) -> Done:
            monkeypatch.setattr(sys, "argv", ["transa", *map(str, arguments)])
            capfd.readouterr()
            with pytest.raises(SystemExit) as ended:
                run()
            out, err = capfd.readouterr()
            return Done(ended.value.code, out, err)

        return call

    return with_arguments


@pytest.fixture
def triples(tmp_path) -> Path:
    """A file of triples: twelve towns along a road."""
    file = tmp_path / "road.tsv"
    edges = [(i, j) for i in range(12) for j in range(12) if 0 < abs(i - j) < 4]
    file.write_text("".join(f"t{i}\tnear\tt{j}\nt{j}\tlinked\tt{i}\n" for i, j in edges))
    return file
