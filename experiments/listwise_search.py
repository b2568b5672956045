"""Trains TransE's energy with the listwise kernel alone, and looks at the validation split.

python -m experiments.listwise_search QUEUE RESULTS

QUEUE has a line of JSON a run: what differs from `Trial`. Runs whose line RESULTS has already are
left out; QUEUE is read anew after each run.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import transa
from transa.graph import Graph, Triples
from transa.graph.known import KnownIndex
from transa.kernels.distances import NORM_CODES
from transa.kernels.margins.readings import TripleMargins
from transa.kernels.random import generator_state
from transa.kernels.ranking.counting import BETTER, EQUAL, KNOWN_BETTER, KNOWN_EQUAL
from transa.kernels.threads import over_spans
from transa.kernels.training.listwise import ListwiseRule, listwise_room, train_listwise_for
from transa.margins.adaptive import opt_margins
from transa.margins.margin import Adaptive
from transa.margins.margin_graph import MarginGraph
from transa.models.energy import Norm, Parameters, lengths
from transa.models.transe import TransEEnergy
from transa.ranking.counting import count_fused
from transa.ranking.metrics import Metrics
from transa.ranking.questions import ask
from transa.settings.recipe import Optimiser
from transa.training.averaging import blend
from transa.training.engines.fused import OPTIMISERS, tables_of
from transa.training.engines.optimisers import fresh_state
from transa.training.sampling import known_of


@dataclass(frozen=True)
class Trial:
    """One run. `margin` is a number, or reading:mu:local of an adaptive one."""

    graph: str
    seed: int = 0
    dim: int = 200
    candidates: int = 128
    block: int = 64
    lr: float = 0.1
    decay: str = "none"
    epochs: int = 60
    share: float = 0.1
    gamma: float = 1.0
    scale: float = 1.0
    own: str = "always"
    norm: Norm = "l1"
    ball: bool = True
    optimiser: Optimiser = "adagrad"
    margin: str = "0"
    average: bool = True
    threads: int = 1
    looks: tuple[int, ...] = ()
    sample: int = 3000
    split: str = "valid"


@dataclass(frozen=True)
class Doubled:
    """A graph and its inverse relations, for one seed."""

    n_entities: int
    n_relations: int
    train: Triples
    known: KnownIndex
    asked: Triples


def with_inverses(triples: Triples, n_relations: int) -> Triples:
    """Every triple, and then every triple the other way round."""
    inverse = triples[:, ::-1] + np.array([0, n_relations, 0], dtype=np.int32)
    return np.ascontiguousarray(np.concatenate([triples, inverse]))


@cache
def load(name: str) -> Graph:
    """A graph, read once."""
    return transa.datasets.load(name)


def doubled(trial: Trial) -> Doubled:
    """The graph of a trial."""
    graph = load(trial.graph)
    n = graph.n_relations
    split = graph.split(trial.split)
    rng = np.random.default_rng((0, trial.sample))
    some = np.sort(rng.permutation(len(split))[: trial.sample])
    known = KnownIndex.of(with_inverses(graph.known, n), graph.n_entities, 2 * n)
    train = with_inverses(graph.train, n)
    return Doubled(graph.n_entities, 2 * n, train, known, with_inverses(split[some], n))


def look(energy: TransEEnergy, parameters: Parameters, graph: Doubled, threads: int) -> Metrics:
    """Filtered metrics: the tails of (h, r, ?), and the heads as the tails of (t, r inverse, ?)."""
    asked, _ = ask(graph.asked, "tail", graph.known)
    counts = np.zeros((len(graph.asked), 4), dtype=np.int64)
    for _ in count_fused(energy, parameters, asked, counts, threads):
        pass
    better = counts[:, BETTER] - counts[:, KNOWN_BETTER]
    equal = counts[:, EQUAL] - 1 - counts[:, KNOWN_EQUAL]
    return Metrics.of(1.0 + better + 0.5 * equal)


def own_shares(trial: Trial, graph: Doubled) -> NDArray[np.float32]:
    """How much anchors count as candidates of their own queries, a number a relation."""
    if trial.own in ("always", "never"):
        return np.full(graph.n_relations, trial.own == "always", dtype=np.float32)
    h, r, t = graph.train.astype(np.int64).T
    n = graph.n_entities
    there, back = (r * n + h) * n + t, (r * n + t) * n + h
    both = np.isin(back, there)
    share = np.bincount(r[both], minlength=graph.n_relations) / np.bincount(r)
    questions = np.bincount(np.unique(r * n + h) // n, minlength=graph.n_relations)
    answers = np.bincount(r) / np.maximum(questions, 1)
    if trial.own == "unless":
        return (share < 0.5).astype(np.float32)
    return ((share < 0.5) | (answers > float(trial.own))).astype(np.float32)


class Margins:
    """One margin a triple."""

    def __init__(self, trial: Trial, graph: Doubled, train: Triples) -> None:
        self.trial, self.adaptive = trial, None
        one_group = np.zeros(len(train), dtype=np.int32)
        zero = np.zeros(1, dtype=np.float32)
        reading, *rest = trial.margin.split(":")
        if not rest:
            value = np.full(1, float(reading), dtype=np.float32)
            self.current = TripleMargins(one_group, value, one_group, zero)
            return
        mu, local = map(float, rest)
        self.adaptive = Adaptive(mu=mu, reading=reading, local=local)  # type: ignore[arg-type]
        self.around = MarginGraph.of(train, graph.n_entities)
        groups = [len(side.group_relation) for side in (self.around.out, self.around.into)]
        self.shares = tuple(np.ones(n, dtype=np.float32) for n in groups)
        self.out = tuple(np.zeros(n, dtype=np.float32) for n in groups)
        group_of = self.around.out.group_of_triple
        self.current = TripleMargins(group_of, self.out[0], one_group, zero)
        self.counts = np.bincount(group_of, minlength=groups[0]) / len(train)

    def compute(self, parameters: Parameters, epoch: int) -> float:
        """Fill the margins from the vectors as they are; their mean."""
        if self.adaptive is None:
            return float(self.current.at_head[0])
        opt_margins(
            self.around,
            parameters["entity"],
            parameters["relation"],
            self.trial.norm,
            self.adaptive,
            self.shares,  # type: ignore[arg-type]
            self.out,  # type: ignore[arg-type]
            epoch=epoch,
            seed=(self.trial.seed, epoch, 1 << 31),
            threads=self.trial.threads,
        )
        mean = float(self.counts @ self.out[0])
        self.out[0][:] = self.adaptive.local * self.out[0] + (1 - self.adaptive.local) * mean
        return mean


def rate_in(trial: Trial, epoch: int) -> float:
    """The learning rate of an epoch, counted from 0."""
    left = 1 - epoch / trial.epochs
    if trial.decay == "linear":
        return trial.lr * left
    if trial.decay == "cosine":
        return trial.lr * 0.5 * (1 - float(np.cos(np.pi * left)))
    return trial.lr


def measured_gamma(parameters: Parameters, norm: Norm, seed: int) -> float:
    """As `training.gamma` measures it."""
    rng, entity = np.random.default_rng((seed, 10_000)), parameters["entity"]
    one = rng.integers(0, len(entity), 10_000)
    other = (one + rng.integers(1, len(entity), 10_000)) % len(entity)
    return float(lengths(entity[one] - entity[other], norm).mean())


def shape_of(parameters: Parameters, graph: Doubled, norm: Norm) -> dict[str, float]:
    """What the space has come to: lengths, and energies of the asked and of random answers."""
    entity, relation = parameters["entity"], parameters["relation"]
    rng = np.random.default_rng(0)
    asked = graph.asked[rng.integers(0, len(graph.asked), 2000)]
    query = entity[asked[:, 0]] + relation[asked[:, 1]]
    seen = graph.train[rng.integers(0, len(graph.train), 2000)]
    others = rng.integers(0, len(entity), 2000)
    fitted = entity[seen[:, 0]] + relation[seen[:, 1]] - entity[seen[:, 2]]
    return {
        "entity_length": float(np.linalg.norm(entity, axis=1).mean()),
        "relation_length": float(np.linalg.norm(relation, axis=1).mean()),
        "f_train": float(lengths(fitted, norm).mean()),
        "f_asked": float(lengths(query - entity[asked[:, 2]], norm).mean()),
        "f_random": float(lengths(query - entity[others], norm).mean()),
        "f_random_sd": float(lengths(query - entity[others], norm).std()),
    }


def run(trial: Trial) -> list[dict[str, Any]]:
    """Train, look, tell."""
    graph = doubled(trial)
    rng = np.random.default_rng(trial.seed)
    energy = TransEEnergy(trial.dim, trial.norm)
    parameters = energy.initialise(graph.n_entities, graph.n_relations, rng)
    gamma = trial.gamma * trial.scale * measured_gamma(parameters, trial.norm, trial.seed)
    train = np.ascontiguousarray(graph.train[rng.permutation(len(graph.train))])
    known = known_of(train, graph.n_entities, graph.n_relations, "uniform", tail_share=1.0)
    tables = tables_of(energy, parameters, fresh_state(parameters, trial.optimiser))
    margins = Margins(trial, graph, train)
    own = own_shares(trial, graph)
    known_when_compiled = (
        trial.dim, NORM_CODES[trial.norm], OPTIMISERS[trial.optimiser], trial.ball,
    )  # fmt: skip
    train_blocks = train_listwise_for(*known_when_compiled)
    mean = {name: table.copy() for name, table in parameters.items()}
    n_blocks = -(-len(train) // trial.block)
    candidates = min(trial.candidates, graph.n_entities)
    found, seconds = [], 0.0
    for epoch in range(trial.epochs):
        began = time.monotonic()
        margin = margins.compute(parameters, epoch)
        order: NDArray[np.int64] = np.random.default_rng((trial.seed, epoch)).permutation(n_blocks)
        rate, scale, share = map(np.float32, (rate_in(trial, epoch), trial.scale, trial.share))
        rule = ListwiseRule(*known_when_compiled, rate, scale, share, np.float32(gamma))

        def span(number: int, start: int, stop: int) -> float:
            room = listwise_room(trial.dim, candidates, trial.block)
            state = generator_state(trial.seed, epoch, number)  # noqa: B023
            return train_blocks(
                *tables, train, order[start:stop], trial.block, known, margins.current, own,  # noqa: B023
                rule, state, room,  # noqa: B023
            )  # fmt: skip

        loss = sum(over_spans(span, n_blocks, trial.threads, spans_each=4)) / len(train)
        blend(mean, parameters, epoch + 1)
        seconds += time.monotonic() - began
        if epoch + 1 == trial.epochs or epoch + 1 in trial.looks:
            kept = mean if trial.average else parameters
            metrics = look(energy, kept, graph, trial.threads)
            found.append(
                {
                    "epoch": epoch + 1,
                    "mr": round(metrics.mr, 1),
                    "mrr": round(metrics.mrr, 4),
                    "h1": round(metrics.hits_at_1, 4),
                    "h10": round(metrics.hits_at_10, 4),
                    "loss": round(loss, 4),
                    "margin": round(margin, 3),
                    "seconds": round(seconds, 1),
                    **{k: round(v, 3) for k, v in shape_of(kept, graph, trial.norm).items()},
                }
            )
    return found


def told(trial: Trial) -> dict[str, Any]:
    """What differs from the defaults."""
    usual = asdict(Trial(""))
    return {k: v for k, v in asdict(trial).items() if v != usual[k] and k != "looks"}


def main(queue: Path, results: Path) -> None:
    """Run what is queued and not done, until nothing is left."""
    while True:
        lines = results.read_text().splitlines() if results.exists() else []
        done = [json.loads(line)["trial"] for line in lines]
        trials = [Trial(**json.loads(line)) for line in queue.read_text().splitlines() if line]
        left = [trial for trial in trials if told(trial) not in done]
        if not left:
            return
        found = run(left[0])
        with results.open("a") as file:
            file.write(json.dumps({"trial": told(left[0]), "looks": found}) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
