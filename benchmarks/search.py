"""What a search gives on the benchmark graphs, beside the defaults and the published searches.

Run with ``python -m benchmarks.search --minutes 30`` (needs the `dev` extra). Per graph: what
`transa train` gives with no option, then `transa search`. Every figure is of the test split, which
is looked at once for each. Results go to benchmarks/results/search.json, one graph at a time, and
from there into the table of docs/search.md (``--page`` writes that alone).
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import transa
from benchmarks import machine
from transa import datasets
from transa.estimator import estimator_of
from transa.estimator.fitting import chosen_for

RESULT = Path(__file__).with_name("results") / "search.json"
PAGE = Path(__file__).parents[1] / "docs" / "search.md"
BEGIN, END = "<!-- Made by python -m benchmarks.search -->", "<!-- End of what was made -->"
GRAPHS = ("fb15k-237", "wn18rr", "codex-s")
# Filtered MRR on test after a search over hundreds of settings, each trained with cross-entropy:
# LibKGE's README, and for CoDEx-S the CoDEx repository.
LIBKGE = {
    "fb15k-237": {
        "transe": 0.313,
        "distmult": 0.343,
        "complex": 0.348,
        "rotate": 0.333,
        "rescal": 0.356,
    },
    "wn18rr": {
        "transe": 0.228,
        "distmult": 0.452,
        "complex": 0.475,
        "rotate": 0.478,
        "rescal": 0.467,
    },
    "codex-s": {"transe": 0.354, "complex": 0.465, "rescal": 0.404},
}


def main() -> None:
    arguments = parse_arguments()
    if not arguments.page:
        for name in arguments.graphs:
            found = measure(name, arguments)
            record = read()
            record[name] = found
            RESULT.parent.mkdir(exist_ok=True)
            RESULT.write_text(json.dumps(record, indent=1) + "\n")
            print(f"{name}: {found}", flush=True)
    write_page(read())


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search", description=__doc__)
    parser.add_argument("--graphs", nargs="+", default=GRAPHS, choices=GRAPHS)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument(
        "--page", action="store_true", help="only write the table of docs/search.md"
    )
    return parser.parse_args()


def measure(name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """The defaults, then the search."""
    graph, threads = datasets.load(name), arguments.threads
    began = time.perf_counter(), time.process_time()
    chosen = chosen_for(graph, "transe", {"threads": threads})
    test = estimator_of(chosen.settings).fit(graph).evaluate(threads=threads).filtered.mrr
    defaults = {"mrr": round(test, 4), **seconds_since(*began)}
    began = time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        found = transa.search(
            graph, Path(folder) / "search", minutes=arguments.minutes, threads=threads, report=print
        )
    return {
        "minutes": arguments.minutes,
        "threads": threads,
        "machine": machine.facts(),
        "defaults": defaults,
        "search": {**seconds_since(*began), "trials": len(found.record.trials)},
        "test": found.test,
        "winner": asdict(found.winner),
        "candidates": found.candidates.to_dicts(),
    }


def seconds_since(wall: float, processor: float) -> dict[str, float]:
    """On the wall, and of the processor: the machine may have had other work."""
    return {
        "seconds": round(time.perf_counter() - wall, 1),
        "cpu_seconds": round(time.process_time() - processor, 1),
    }


def read() -> dict[str, Any]:
    """What was measured last, by graph."""
    return json.loads(RESULT.read_text()) if RESULT.exists() else {}


def write_page(record: dict[str, Any]) -> None:
    """Put the table into the page."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n{table(record)}\n\n{END}{after}")


def table(record: dict[str, Any]) -> str:
    """The record in Markdown."""
    lines = [
        "| graph | minutes, threads | CPU seconds | trials | winner | its test MRR | defaults of "
        "`transa train` | LibKGE, the same model | LibKGE, its best |",
        "|---" * 9 + "|",
    ]
    for name in GRAPHS:
        published = LIBKGE[name]
        best = max(published, key=published.__getitem__)
        if name not in record:
            lines.append(f"| {name} | not run yet | | | | | | | {published[best]:.3f} ({best}) |")
            continue
        of = record[name]
        model = of["winner"]["model"]
        same = published.get("transe" if model == "transa" else model)
        lines.append(
            f"| {name} | {of['minutes']:g}, {of['threads'] or 'all'} | "
            f"{of['search']['cpu_seconds']:.0f} | {of['search']['trials']} | {model}, "
            f"{of['winner']['by']} | {of['test']['mrr']:.3f} | {of['defaults']['mrr']:.3f} | "
            f"{'–' if same is None else f'{same:.3f}'} | {published[best]:.3f} ({best}) |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
