"""How long an epoch takes, for every model: processor seconds on one thread, FB15K, d 50.

Run with ``python benchmarks/epochs.py``. A few steps of each model's own recipe are timed, after
one that is not, and scaled to the epoch: steps are alike. Processor seconds, unlike the clock, do
not count what else the machine is doing; they still grow where its caches are shared.

Each figure is kept as soon as it is there; a run of some models replaces only theirs.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from transa import datasets
from transa.config import Settings, make_settings
from transa.graph import Graph
from transa.models import MODELS
from transa.training.als import ALSEngine
from transa.training.loop import Run
from transa.training.questions import Questions, batches
from transa.training.softmax import SoftmaxEngine
from transa.training.work import BLOCK

RESULT = Path(__file__).with_name("results") / "epochs.json"


def main() -> None:
    arguments = parse_arguments()
    graph = datasets.load(arguments.graph)
    for model in arguments.models:
        settings = make_settings(model, dim=arguments.dim, threads=1, validate_every=0)
        found = round(seconds_per_epoch(settings, graph, arguments.steps), 1)
        print(f"{model}: {found} s", flush=True)
        keep(arguments, model, found)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graph", default="fb15k")
    parser.add_argument("--models", nargs="+", default=list(MODELS))
    parser.add_argument("--dim", type=int, default=50)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--out", type=Path, default=RESULT)
    return parser.parse_args()


def seconds_per_epoch(settings: Settings, graph: Graph, steps: int) -> float:
    """The time of some steps, scaled to the steps of an epoch."""
    run = Run(settings.energy, settings.recipe, graph, None)
    run._begin_epoch()  # the margins, where they are computed
    one_step, in_an_epoch = plan(run)
    one_step()
    began = time.process_time()
    for _ in range(steps):
        one_step()
    return (time.process_time() - began) / steps * in_an_epoch


def plan(run: Run) -> tuple[Callable[[], object], int]:
    """Something that takes the next step, and how many there are in an epoch."""
    engine, n_triples = run.engine, len(run.work.triples)
    rng = np.random.default_rng(0)
    if isinstance(engine, SoftmaxEngine):
        asked = batches(run.work.triples, run.recipe.batch, rng)
        questions = iter(asked)
        return lambda: softmax_step(engine, next(questions), rng), len(asked)
    if isinstance(engine, ALSEngine):
        return lambda: engine.run(np.empty(0, np.int64), run.margins.current, (0, 0, 0), 1), 1
    size = max(run.recipe.batch // BLOCK, 16)
    spans: Iterator[int] = iter(range(0, run.work.n_blocks, size))

    def sampled_step() -> None:
        start = next(spans)
        engine.run(np.arange(start, start + size), run.margins.current, (0, 0, start), 1)

    return sampled_step, math.ceil(n_triples / (size * BLOCK))


def softmax_step(engine: SoftmaxEngine, questions: Questions, rng: np.random.Generator) -> None:
    engine.step(questions, engine.candidates(questions, rng))


def keep(arguments: argparse.Namespace, model: str, seconds: float) -> None:
    """Add one figure to the record."""
    path: Path = arguments.out
    path.parent.mkdir(parents=True, exist_ok=True)
    empty = {"graph": arguments.graph, "dim": arguments.dim, "cpu_seconds_per_epoch": {}}
    record: dict[str, Any] = json.loads(path.read_text()) if path.exists() else empty
    record["cpu_seconds_per_epoch"][model] = seconds
    path.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
