"""How long the second `transa train countries` takes in all: kernels come from the cache."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from benchmarks.children import run_command
from benchmarks.records import Point, Score, Side

TITLE = "`transa train countries`, all of it: seconds"
PEERS = False
BAR = 5.0


def points(_: list[ModuleType], quick: bool) -> Iterator[Point]:
    """One run with an empty cache, then several that find it filled."""
    with tempfile.TemporaryDirectory() as folder:
        cold, *warm = (train(Path(folder), run) for run in range(3 if quick else 6))
    yield Point(
        name="countries",
        unit="s",
        sides=(Side("first run", (cold,)), Side("later runs", tuple(warm))),
        scores=(Score("seconds of a later run", tuple(warm), BAR, "at most"),),
    )


def train(folder: Path, run: int) -> float:
    """The seconds of the command, with the kernels' cache in this folder."""
    command = Path(sys.executable).with_name("transa")
    return run_command(
        *(str(command), "train", "countries", "--quiet", "--out", str(folder / f"model-{run}")),
        environment={"XDG_CACHE_HOME": str(folder / "cache")},
    )
