"""How long it takes, and how much memory, to read and split a large file of labelled triples.

Run with ``python benchmarks/read_graph.py``. The file is made first (not timed). Making and reading
run in processes of their own: a process is charged with the peak memory of the one it came from.
The bar for the defaults (10 M triples, 1 M entities, 100 relations) is 20 s and 3 GB on 2 cores; on
a busy machine the processor seconds tell more than those on the clock.
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
    if arguments.write is not None:
        write_triples(arguments.write, arguments.triples, arguments.entities, arguments.relations)
    elif arguments.measure is not None:
        print(json.dumps(measure(arguments.measure)))
    else:
        compare_runs(arguments)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--triples", type=int, default=10_000_000)
    parser.add_argument("--entities", type=int, default=1_000_000)
    parser.add_argument("--relations", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--write", type=Path, help="only make this file")
    parser.add_argument("--measure", type=Path, help="only read this file")
    return parser.parse_args()


def compare_runs(arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "triples.tsv"
        in_own_process(*sys.argv[1:], "--write", str(path))
        runs = [json.loads(in_own_process("--measure", str(path))) for _ in range(arguments.repeat)]
    best = min(runs, key=lambda run: run["seconds"])
    print(json.dumps({"triples": arguments.triples, **best, "runs": runs}))
    print(
        f"{arguments.triples:,} triples read, numbered and split in {best['seconds']:.1f} s "
        f"({best['processor_seconds']:.1f} s of processors; best of {len(runs)}), "
        f"peak memory {best['peak_rss_gb']:.2f} GB"
    )


def in_own_process(*arguments: str) -> str:
    command = [sys.executable, __file__, *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


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

    start, processor_start = time.perf_counter(), time.process_time()
    read(path)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * BYTES_PER_RSS_UNIT
    return {
        "seconds": round(time.perf_counter() - start, 2),
        "processor_seconds": round(time.process_time() - processor_start, 2),
        "peak_rss_gb": round(peak / 1e9, 2),
    }


if __name__ == "__main__":
    main()
