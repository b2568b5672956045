"""How long it takes, and how much memory, to read and split a large file of labelled triples.

Run with ``python benchmarks/read_graph.py``. The file is made first (not timed); the reading runs
in a process of its own, so that the peak memory is its own too. The bar for the defaults (10 M
triples, 1 M entities, 100 relations) on 2 cores is 20 s and 3 GB.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

BYTES_PER_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


def main() -> None:
    arguments = parse_arguments()
    if arguments.measure is not None:
        print(json.dumps(measure(arguments.measure)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "triples.tsv"
        write_triples(path, arguments.triples, arguments.entities, arguments.relations)
        command = [sys.executable, __file__, "--measure", str(path)]
        runs = [
            json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            for _ in range(arguments.repeat)
        ]
    best = min(runs, key=lambda run: run["seconds"])
    print(json.dumps({"triples": arguments.triples, **best, "runs": runs}))
    print(
        f"{arguments.triples:,} triples read, numbered and split in {best['seconds']:.1f} s "
        f"(best of {len(runs)}), peak memory {best['peak_rss_gb']:.2f} GB"
    )


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--triples", type=int, default=10_000_000)
    parser.add_argument("--entities", type=int, default=1_000_000)
    parser.add_argument("--relations", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--measure", type=Path, help="read this file and report (internal)")
    return parser.parse_args()


def write_triples(path: Path, triples: int, entities: int, relations: int) -> None:
    rng = np.random.default_rng(0)
    entity_labels = pl.Series([f"entity_{i:07d}" for i in range(entities)])
    relation_labels = pl.Series([f"relation_{i:03d}" for i in range(relations)])
    frame = pl.DataFrame(
        {
            "head": entity_labels.gather(rng.integers(entities, size=triples)),
            "relation": relation_labels.gather(rng.integers(relations, size=triples)),
            "tail": entity_labels.gather(rng.integers(entities, size=triples)),
        }
    )
    frame.write_csv(path, separator="\t", include_header=False)


def measure(path: Path) -> dict[str, float]:
    from transa.graph import read

    start = time.perf_counter()
    read(path)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * BYTES_PER_RSS_UNIT
    return {"seconds": round(seconds, 2), "peak_rss_gb": round(peak / 1e9, 2)}


if __name__ == "__main__":
    main()
