"""How long an epoch takes, for every model with its own recipe: FB15K, d 50, two threads.

Run with ``python benchmarks/epochs.py`` on a machine that does nothing else. Of two epochs the
second counts: the first compiles.

Each figure is kept as soon as it is there; a run of some models replaces only theirs.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from transa import datasets
from transa.graph import Graph
from transa.models import MODELS
from transa.settings.config import make_settings
from transa.training.loop import Run

RESULT = Path(__file__).with_name("results") / "epochs.json"


def main() -> None:
    arguments = parse_arguments()
    graph = datasets.load(arguments.graph)
    for model in arguments.models:
        found = round(seconds_per_epoch(model, graph, arguments), 1)
        print(f"{model}: {found} s", flush=True)
        keep(arguments, model, found)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graph", default="fb15k")
    parser.add_argument("--models", nargs="+", default=list(MODELS))
    parser.add_argument("--dim", type=int, default=50)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULT)
    return parser.parse_args()


def seconds_per_epoch(model: str, graph: Graph, arguments: argparse.Namespace) -> float:
    settings = make_settings(
        model, dim=arguments.dim, threads=arguments.threads, validate_every=0, epochs=2
    )
    run = Run(settings.energy, settings.recipe, graph, None)
    run.one_epoch()
    began = time.monotonic()
    run.one_epoch()
    return time.monotonic() - began


def keep(arguments: argparse.Namespace, model: str, seconds: float) -> None:
    """Add one figure to the record."""
    path: Path = arguments.out
    path.parent.mkdir(parents=True, exist_ok=True)
    about = {name: getattr(arguments, name) for name in ("graph", "dim", "threads")}
    record: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    same = all(record.get(name) == value for name, value in about.items())
    seconds_of = record["seconds_per_epoch"] if same else {}
    record = {**about, "seconds_per_epoch": {**seconds_of, model: seconds}}
    path.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
