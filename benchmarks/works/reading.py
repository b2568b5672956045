"""Ten million labelled triples read, numbered and split, from a tab-separated file.

The file is made first and not timed. Making and reading run in processes of their own.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np

from benchmarks.children import in_own_process, peak_memory
from benchmarks.records import Point, Score, Side

TITLE = "Reading a file of labelled triples, 1 entity in 10 triples"
PEERS = False
SECONDS, GIGABYTES = 20.0, 3.0
RELATIONS = 100


def points(_: list[ModuleType], quick: bool) -> Iterator[Point]:
    """One large file, several times."""
    triples = 1_000_000 if quick else 10_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "triples.tsv"
        in_own_process(__name__, "write", path, triples)
        runs = [in_own_process(__name__, "read", path) for _ in range(2 if quick else 3)]
    seconds = tuple(run["reading"] for run in runs)
    memory = tuple(run["peak_gb"] for run in runs)
    yield Point(
        name=f"{triples:,} triples",
        unit="s",
        sides=(Side("transa", seconds),),
        scores=(
            Score("seconds", seconds, SECONDS, "at most"),
            Score("GB at most", memory, GIGABYTES, "at most"),
        ),
    )


def write(path: str, triples: str) -> dict[str, int]:
    """Make the file."""
    import polars as pl

    n, entities = int(triples), int(triples) // 10
    rng = np.random.default_rng(0)
    entity_labels = pl.Series([f"entity_{i:07d}" for i in range(entities)])
    relation_labels = pl.Series([f"relation_{i:03d}" for i in range(RELATIONS)])
    frame = pl.DataFrame(
        {
            "head": entity_labels.gather(rng.integers(entities, size=n)),
            "relation": relation_labels.gather(rng.integers(RELATIONS, size=n)),
            "tail": entity_labels.gather(rng.integers(entities, size=n)),
        }
    )
    frame.write_csv(path, separator="\t", include_header=False)
    return {"triples": n}


def read(path: str) -> dict[str, float]:
    """Read it."""
    from transa import read as read_graph

    began = time.perf_counter()
    read_graph(Path(path))
    return {"reading": time.perf_counter() - began, "peak_gb": peak_memory() / 1e9}
