"""How fast a test split is ranked, filtered, both sides, beside PyKEEN's evaluator.

Run with ``python benchmarks/ranking.py`` (needs the `dev` extra). The same vectors go into both;
the two take turns in one process. PyKEEN ranks a sample of the split, and its time, less what it
takes to set out, is scaled to the whole. We rank the whole split, raw ranks and all breakdowns
included. On the sample both must come to the same metrics: vectors are rounded to 1/64, so that L1
sums have the same bits in whatever order they are made, and ties are many.

The bar for the defaults on 2 cores is 60 times PyKEEN's speed.
"""

from __future__ import annotations

import argparse
import json
import logging
import math
import statistics
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from pykeen.evaluation import RankBasedEvaluator
from pykeen.models import TransE
from pykeen.triples import CoreTriplesFactory

from transa import datasets
from transa.evaluation import KnownIndex, evaluate, quick_metrics
from transa.graph import Graph, Triples
from transa.kernels.threads import available_threads
from transa.models import Parameters, TransEEnergy

RESULT = Path(__file__).with_name("results") / "ranking.json"
PYKEEN_NAMES = {
    "mr": "arithmetic_mean_rank",
    "mrr": "inverse_harmonic_mean_rank",
    "hits@1": "hits_at_1",
    "hits@3": "hits_at_3",
    "hits@10": "hits_at_10",
}


def main() -> None:
    arguments = parse_arguments()
    logging.disable(logging.WARNING)
    graph = datasets.load(arguments.graph)
    energy = TransEEnergy(dim=arguments.dim)
    parameters = rounded_vectors(graph, energy)
    threads = arguments.threads or available_threads()
    torch.set_num_threads(threads)

    def ours() -> None:
        evaluate(energy, parameters, graph, threads=threads)

    compile_kernels(energy, parameters, graph)
    memory = traced_peak(ours)

    model = pykeen_model(graph, parameters)
    rng = np.random.default_rng(0)
    sample = graph.test[rng.choice(len(graph.test), arguments.sample, replace=False)]

    def theirs(triples: Triples) -> dict[str, float]:
        return pykeen_metrics(model, graph, triples, arguments.pykeen_batch)

    assert_same_metrics(energy, parameters, graph, sample, theirs(sample))
    rounds = []
    for _ in range(arguments.rounds):
        setting_out = seconds(lambda: theirs(sample[:1]))
        on_sample = seconds(lambda: theirs(sample))
        scaled = setting_out + (on_sample - setting_out) * len(graph.test) / len(sample)
        rounds.append({"transa": seconds(ours), "pykeen": scaled})
    report(arguments, graph, threads, rounds, memory)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graph", default="fb15k")
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sample", type=int, default=512, help="triples that PyKEEN ranks")
    parser.add_argument(
        "--pykeen-batch",
        type=int,
        default=128,
        help="the fastest of 1, 8, 32, 128 and 256 on FB15K",
    )
    parser.add_argument("--out", type=Path, default=RESULT)
    return parser.parse_args()


def compile_kernels(energy: TransEEnergy, parameters: Parameters, graph: Graph) -> None:
    few = graph.test[:2]
    known = KnownIndex.of(few, graph.n_entities, graph.n_relations)
    quick_metrics(energy, parameters, few, known=known)


def rounded_vectors(graph: Graph, energy: TransEEnergy) -> Parameters:
    rng = np.random.default_rng(0)
    drawn = energy.initialise(graph.n_entities, graph.n_relations, rng)
    return {name: np.round(table * 64) / np.float32(64) for name, table in drawn.items()}


def pykeen_model(graph: Graph, parameters: Parameters) -> TransE:
    factory = CoreTriplesFactory(long(graph.train), graph.n_entities, graph.n_relations)
    dim = parameters["entity"].shape[1]
    model = TransE(triples_factory=factory, embedding_dim=dim, scoring_fct_norm=1, random_seed=0)
    for (representation,), name in (
        (model.entity_representations, "entity"),
        (model.relation_representations, "relation"),
    ):
        representation._embeddings.weight.data.copy_(torch.from_numpy(parameters[name]))
    return model


def pykeen_metrics(model: TransE, graph: Graph, triples: Triples, batch: int) -> dict[str, float]:
    results = RankBasedEvaluator().evaluate(
        model,
        long(triples),
        batch_size=batch,
        use_tqdm=False,
        additional_filter_triples=long(graph.known),
    )
    return {
        ours: results.get_metric(f"both.realistic.{theirs}")
        for ours, theirs in PYKEEN_NAMES.items()
    }


def assert_same_metrics(
    energy: TransEEnergy,
    parameters: Parameters,
    graph: Graph,
    triples: Triples,
    theirs: dict[str, float],
) -> None:
    known = KnownIndex.of(graph.known, graph.n_entities, graph.n_relations)
    ours = quick_metrics(energy, parameters, triples, known=known).to_dict()
    for name, value in theirs.items():
        # PyKEEN averages in single precision.
        assert math.isclose(ours[name], value, rel_tol=1e-5), (name, ours[name], value)


def report(
    arguments: argparse.Namespace,
    graph: Graph,
    threads: int,
    rounds: list[dict[str, float]],
    memory: int,
) -> None:
    transa, pykeen = (statistics.median(r[name] for r in rounds) for name in ("transa", "pykeen"))
    result = {
        "graph": graph.name,
        "triples": len(graph.test),
        "entities": graph.n_entities,
        "dim": arguments.dim,
        "threads": threads,
        "seconds_transa": round(transa, 2),
        "seconds_pykeen_scaled": round(pykeen, 1),
        "pykeen_sample": arguments.sample,
        "pykeen_batch": arguments.pykeen_batch,
        "ratio": round(statistics.median(r["pykeen"] / r["transa"] for r in rounds), 1),
        "memory_transa_mb": round(memory / 1e6, 1),
        "rounds": [{name: round(value, 2) for name, value in r.items()} for r in rounds],
    }
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result))
    print(
        f"{graph.name}: {len(graph.test):,} test triples ranked in {transa:.1f} s; PyKEEN takes "
        f"{pykeen:,.0f} s (scaled from {arguments.sample:,} triples): {result['ratio']:.0f} times "
        f"as long for the same metrics. Peak memory: {memory / 1e6:.0f} MB beyond model and graph"
    )


def long(triples: Triples) -> torch.Tensor:
    return torch.from_numpy(triples.astype(np.int64))


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def traced_peak(run: Callable[[], object]) -> int:
    """Bytes allocated at most, but for the kernels' scratch, which is 2 · 256 · dim a thread."""
    tracemalloc.start()
    run()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


if __name__ == "__main__":
    main()
