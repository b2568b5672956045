"""How good every model is on kinship and nations, beside PyKEEN's.

Run with ``python benchmarks/quality.py`` (needs the `dev` extra). Both sides train at the same
dimension, stop on the validation split and are ranked once on the test split: filtered, realistic
ranks. Ours is what ``transa train GRAPH --model MODEL --dim 50`` does, but for the rows of
`OPTIONS`: their commands have options, which were chosen on validation triples. PyKEEN's is its
pipeline as it comes (each model's own loss, Adam, batches of 256, one negative a triple), but for
the number of epochs, which is 5 by default and up to 500 here, with its early stopper on the same
metric.

On graphs this small another seed can move the MRR by .03; a figure is the mean over `--seeds`.
Each is kept as soon as it is there; a run of some models or graphs replaces only theirs.
"""

from __future__ import annotations

import argparse
import gc
import json
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch._dynamo
from pykeen.pipeline import pipeline
from pykeen.triples import CoreTriplesFactory

from transa import datasets
from transa.estimator import estimator_of
from transa.graph import Graph, Triples
from transa.models import MODELS
from transa.settings.config import make_settings

RESULT = Path(__file__).with_name("results") / "quality.json"
GRAPHS = ("kinship", "nations")
PYKEEN_NAMES = {
    "transe": "TransE",
    "transh": "TransH",
    "transr": "TransR",
    "unstructured": "UM",
    "se": "SE",
    "rescal": "RESCAL",
    "ntn": "NTN",
    "distmult": "DistMult",
    "complex": "ComplEx",
    "rotate": "RotatE",
}
OPTIONS: dict[tuple[str, str], dict[str, Any]] = {
    ("nations", "transr"): {
        "optimiser": "adam",
        "lr": 0.01,
        "negatives": 4,
        "validate_every": 5,
        "patience": 15,
    },
    ("nations", "unstructured"): {
        "loss": "hinge",
        "margin": 1.0,
        "optimiser": "sgd",
        "lr": 0.0001,
    },
}
# The energy of Bordes et al., squared L2, as ours; PyKEEN's own default for UM is L1.
THEIR_ENERGY = {"unstructured": {"scoring_fct_norm": 2, "power_norm": True}}
LOOKS = {"frequency": 20, "patience": 5, "relative_delta": 0.002}
MRR = "both.realistic.inverse_harmonic_mean_rank"


def main() -> None:
    arguments = parse_arguments()
    logging.disable(logging.WARNING)
    torch.set_num_threads(arguments.threads)
    # PyKEEN collects garbage after every epoch, over all modules there are: nine tenths of its time
    # on graphs this small. Modules that are frozen it need not look at.
    gc.freeze()
    for name in arguments.graphs:
        graph = datasets.load(name)
        for model in arguments.models:
            if "transa" in arguments.sides:
                measure(arguments, model, "transa", ours, graph)
            if "pykeen" in arguments.sides and model in PYKEEN_NAMES:
                measure(arguments, model, "pykeen", theirs, graph)
    print(table(json.loads(arguments.out.read_text())))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", nargs="+", default=GRAPHS)
    parser.add_argument("--models", nargs="+", default=list(MODELS))
    parser.add_argument("--sides", nargs="+", default=("transa", "pykeen"))
    parser.add_argument("--dim", type=int, default=50)
    parser.add_argument("--epochs", type=int, default=500, help="of PyKEEN, at most")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--out", type=Path, default=RESULT)
    return parser.parse_args()


def ours(graph: Graph, model: str, seed: int, arguments: argparse.Namespace) -> dict[str, float]:
    common = {"dim": arguments.dim, "threads": arguments.threads, "seed": seed}
    options = {**common, **OPTIONS.get((graph.name, model), {})}
    # All models by their fixed defaults: none chosen by the size of the graph.
    estimator = estimator_of(make_settings(model, **options))
    found = estimator.fit(graph).evaluate().filtered
    return {"mrr": found.mrr, "mr": found.mr, "hits@10": found.hits_at_10}


def theirs(graph: Graph, model: str, seed: int, arguments: argparse.Namespace) -> dict[str, float]:
    training, validation, testing = (
        factory(graph, triples) for triples in (graph.train, graph.valid, graph.test)
    )
    result = pipeline(
        model=PYKEEN_NAMES[model],
        model_kwargs={"embedding_dim": arguments.dim, **THEIR_ENERGY.get(model, {})},
        training=training,
        validation=validation,
        testing=testing,
        training_kwargs={"num_epochs": arguments.epochs, "use_tqdm": False},
        stopper="early",
        stopper_kwargs={**LOOKS, "metric": MRR},
        evaluation_kwargs={"use_tqdm": False},
        random_seed=seed,
        device="cpu",
    )
    names = {"mrr": MRR, "mr": "both.realistic.arithmetic_mean_rank"}
    names["hits@10"] = "both.realistic.hits_at_10"
    return {name: float(result.get_metric(metric)) for name, metric in names.items()}


def factory(graph: Graph, triples: Triples) -> CoreTriplesFactory:
    mapped = torch.from_numpy(triples.astype(np.int64))
    return CoreTriplesFactory(mapped, graph.n_entities, graph.n_relations)


def measure(
    arguments: argparse.Namespace,
    model: str,
    side: str,
    run: Callable[[Graph, str, int, argparse.Namespace], dict[str, float]],
    graph: Graph,
) -> None:
    began = time.process_time()
    runs = [run(graph, model, seed, arguments) for seed in range(arguments.seeds)]
    found: dict[str, Any] = {
        name: round(float(np.mean([one[name] for one in runs])), 4) for name in runs[0]
    }
    found["mrr of each seed"] = [round(one["mrr"], 4) for one in runs]
    found["cpu_seconds"] = round((time.process_time() - began) / arguments.seeds, 1)
    print(graph.name, model, side, found, flush=True)
    keep(arguments.out, arguments.dim, graph.name, model, side, found)


def keep(path: Path, dim: int, graph: str, model: str, side: str, found: dict[str, Any]) -> None:
    """Add one figure to the record."""
    path.parent.mkdir(parents=True, exist_ok=True)
    record: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {"dim": dim}
    record.setdefault(graph, {}).setdefault(model, {})[side] = found
    path.write_text(json.dumps(record, indent=2) + "\n")


def table(record: dict[str, Any]) -> str:
    """The record in Markdown: MRR, ours and PyKEEN's."""
    graphs = [name for name in GRAPHS if name in record]
    lines = [
        "| model | " + " | ".join(f"{graph} | PyKEEN" for graph in graphs) + " |",
        "|---" * (1 + 2 * len(graphs)) + "|",
    ]
    for model in MODELS:
        cells = [
            f"{record[graph][model][side]['mrr']:.3f}"
            if side in record[graph].get(model, {})
            else "–"
            for graph in graphs
            for side in ("transa", "pykeen")
        ]
        lines.append(f"| {model} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
