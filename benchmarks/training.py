"""How many triples a training step takes per second, beside PyKEEN, and what TransA's margins cost.

Run with ``python benchmarks/training.py`` (needs the `dev` extra). Same graph, dimension, norm,
loss (hinge, margin 1), optimiser (SGD) and negatives for both; they take turns in one process,
whole epochs at a time, PyKEEN at each of several batch sizes, of which the fastest counts. Both
must have lowered their loss. Epochs with adaptive margins, recomputed exactly every epoch, stand
beside epochs with a fixed one; part of the difference is the margins' cost, part the updates that a
larger margin asks for.

The bars on 2 cores: 12 times PyKEEN's rate, and adaptive margins at no more than 10 % of an epoch.
"""

from __future__ import annotations

import argparse
import json
import logging
import statistics
import time
from dataclasses import replace
from pathlib import Path

import torch
from pykeen.losses import MarginRankingLoss
from pykeen.models import TransE
from pykeen.training import SLCWATrainingLoop
from pykeen.triples import CoreTriplesFactory

from transa import datasets
from transa.graph import Graph
from transa.kernels.threads import available_threads
from transa.margins import READINGS, Adaptive, Fixed
from transa.models import TransEEnergy
from transa.training.loop import Run
from transa.training.recipe import Recipe

PYKEEN_EPOCHS = 2

HINGE = Recipe(
    loss="hinge",
    margin=Fixed(1.0),
    adversarial=0.0,
    optimiser="sgd",
    lr=0.01,
    constraint="none",
    epochs=1_000_000,
    validate_every=0,
)


class Ours:
    """Epochs of this library, one at a time."""

    def __init__(self, graph: Graph, energy: TransEEnergy, recipe: Recipe) -> None:
        self._run = Run(energy, recipe, graph, checkpoint=None)
        self.losses: list[float] = []
        self.epoch()  # compiles

    def epoch(self) -> float:
        """The seconds of one more epoch."""
        began = time.perf_counter()
        self.losses.append(self._run.one_epoch().loss)
        return time.perf_counter() - began


class PyKEEN:
    """Epochs of PyKEEN's TransE under the stochastic local closed-world assumption."""

    def __init__(self, graph: Graph, energy: TransEEnergy, recipe: Recipe, batch: int) -> None:
        self._triples = CoreTriplesFactory(
            torch.from_numpy(graph.train.astype("int64")),
            num_entities=graph.n_entities,
            num_relations=graph.n_relations,
        )
        model = TransE(
            triples_factory=self._triples,
            embedding_dim=energy.dim,
            scoring_fct_norm={"l1": 1, "l2": 2}[energy.norm],
            loss=MarginRankingLoss(margin=1.0),
            random_seed=0,
        )
        self._loop = SLCWATrainingLoop(
            model=model,
            triples_factory=self._triples,
            optimizer=torch.optim.SGD(model.parameters(), lr=recipe.lr),
            negative_sampler_kwargs={"num_negs_per_pos": recipe.negatives},
        )
        self._batch = batch
        self.losses: list[float] = []
        self.epoch()

    def epoch(self) -> float:
        """The seconds of an epoch."""
        # Under SGD PyKEEN can't go on where it was, so it begins anew each time.
        began = time.perf_counter()
        self.losses = self._loop.train(
            triples_factory=self._triples,
            num_epochs=PYKEEN_EPOCHS,
            batch_size=self._batch,
            use_tqdm=False,
            use_tqdm_batch=False,
        )
        return (time.perf_counter() - began) / PYKEEN_EPOCHS


def main() -> None:
    arguments = parse_arguments()
    logging.disable(logging.WARNING)
    graph = datasets.load(arguments.graph)
    energy = TransEEnergy(arguments.dim, arguments.norm)
    threads = arguments.threads or available_threads()
    torch.set_num_threads(threads)
    recipe = replace(HINGE, negatives=arguments.negatives, threads=threads)
    contestants: dict[str, Ours | PyKEEN] = {
        "fixed margin": Ours(graph, energy, recipe),
        "one thread": Ours(graph, energy, replace(recipe, threads=1)),
    }
    for reading in READINGS:
        margin = Adaptive(mu=0.5, reading=reading)
        contestants[f"adaptive, {reading}"] = Ours(graph, energy, replace(recipe, margin=margin))
    for batch in arguments.pykeen_batches:
        contestants[f"PyKEEN, batch {batch}"] = PyKEEN(graph, energy, recipe, batch)
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(arguments.rounds):
        for name, contestant in contestants.items():
            seconds[name].append(contestant.epoch())
    for name, contestant in contestants.items():
        # Where the margin moves, so does what the loss is measured from.
        if not name.startswith("adaptive"):
            assert contestant.losses[-1] < contestant.losses[0], f"{name} did not learn"
    report(arguments, graph, threads, seconds)


def report(
    arguments: argparse.Namespace, graph: Graph, threads: int, seconds: dict[str, list[float]]
) -> None:
    median = {name: statistics.median(values) for name, values in seconds.items()}
    best_peer = min(value for name, value in median.items() if name.startswith("PyKEEN"))
    ours = median["fixed margin"]
    print(
        f"{arguments.graph}, {arguments.norm}, d {arguments.dim}, {arguments.negatives} negatives, "
        f"{threads} threads, {arguments.rounds} rounds"
    )
    for name, value in median.items():
        spread = (max(seconds[name]) - min(seconds[name])) / value
        rate = len(graph.train) / value / 1e6
        print(
            f"{name:>20}: {value:8.3f} s per epoch, {rate:6.2f} M triples/s, "
            f"{value / ours:6.2f} x the fixed margin's time (spread {spread:.0%})"
        )
    print(f"{best_peer / ours:.1f} times PyKEEN's best")
    print(f"{median['one thread'] / ours:.2f} times one thread")
    if arguments.out is not None:
        record = {**vars(arguments), "out": None, "threads": threads, "seconds": seconds}
        arguments.out.write_text(json.dumps(record, indent=1))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graph", default="fb15k")
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--norm", choices=("l1", "l2"), default="l1")
    parser.add_argument("--negatives", type=int, default=1)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pykeen-batches", type=int, nargs="*", default=[1200, 4800, 19200])
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
