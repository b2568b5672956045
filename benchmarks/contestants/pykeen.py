"""PyKEEN: SLCWATrainingLoop with its basic sampler, and RankBasedEvaluator.

Its default that puts all entities back on the sphere after every step is switched off: it would
only slow it down, and nobody else does it.
"""

from __future__ import annotations

import math
import time

import numpy as np
import torch
from pykeen.evaluation import RankBasedEvaluator
from pykeen.losses import MarginRankingLoss
from pykeen.models import TransE
from pykeen.training import SLCWATrainingLoop, TrainingCallback
from pykeen.triples import CoreTriplesFactory

from benchmarks.tasks import BATCH_RATES, MARGIN, Ranker, RankingTask, TrainingPass, TrainingTask
from transa.graph import Graph, Triples
from transa.ranking import quick_metrics

NAME = "PyKEEN"
BATCHES = {1: (1024, 4096, 16384), 16: (256, 1024, 4096)}
RANKING_BATCHES = (32, 128)

_METRICS = {
    "mr": "arithmetic_mean_rank",
    "mrr": "inverse_harmonic_mean_rank",
    "hits@1": "hits_at_1",
    "hits@10": "hits_at_10",
}


class _Clock(TrainingCallback):
    """The time at the end of every epoch."""

    def __init__(self) -> None:
        super().__init__()
        self.times: list[float] = []

    def post_epoch(self, epoch: int, epoch_loss: float, **_: object) -> None:  # noqa: ARG002
        self.times.append(time.perf_counter())


def train(task: TrainingTask, batch: int, triples: Triples) -> TrainingPass:
    """Two epochs from fresh vectors, of which the second is timed: setting out is not.

    A training loop of PyKEEN's counts its epochs for good, so that each pass needs a new one.
    """
    torch.set_num_threads(task.threads)
    factory = factory_of(task.graph, triples)
    model = TransE(
        triples_factory=factory,
        embedding_dim=task.dim,
        scoring_fct_norm=int(task.norm[1]),
        entity_constrainer=None,
        loss=MarginRankingLoss(margin=MARGIN),
        random_seed=0,
    )
    loop = SLCWATrainingLoop(
        model=model,
        triples_factory=factory,
        optimizer=torch.optim.SGD(model.parameters(), lr=BATCH_RATES[task.norm]),
        negative_sampler="basic",
        negative_sampler_kwargs={"num_negs_per_pos": task.negatives},
    )
    clock = _Clock()
    losses = loop.train(
        triples_factory=factory,
        num_epochs=2,
        batch_size=batch,
        use_tqdm=False,
        use_tqdm_batch=False,
        callbacks=clock,
    )
    first, second = clock.times
    return TrainingPass(len(triples) / (second - first), tuple(losses))


def ranker(task: RankingTask, batch: int) -> Ranker:
    """Ranks of triples, filtered, as metrics by our names."""
    torch.set_num_threads(task.threads)
    factory = factory_of(task.graph, task.graph.train[:1])
    model = TransE(
        triples_factory=factory,
        embedding_dim=task.model.energy.dim,
        scoring_fct_norm=int(task.norm[1]),
        random_seed=0,
    )
    for (representation,), name in (
        (model.entity_representations, "entity"),
        (model.relation_representations, "relation"),
    ):
        representation._embeddings.weight.data.copy_(torch.from_numpy(task.parameters[name]))
    known = long(task.graph.known)

    def rank(triples: Triples) -> dict[str, float]:
        results = RankBasedEvaluator().evaluate(
            model,
            long(triples),
            batch_size=batch,
            use_tqdm=False,
            additional_filter_triples=known,
        )
        return {
            ours: results.get_metric(f"both.realistic.{theirs}")
            for ours, theirs in _METRICS.items()
        }

    return rank


def check_ranks(task: RankingTask, found: dict[str, float], triples: Triples) -> None:
    """Its metrics must be ours."""
    ours = quick_metrics(task.model, triples).to_dict()
    for name, value in found.items():
        # PyKEEN averages in single precision.
        if not math.isclose(ours[name], value, rel_tol=1e-4):
            raise AssertionError(f"{name}: transa has {ours[name]}, PyKEEN {value}")


def factory_of(graph: Graph, triples: Triples) -> CoreTriplesFactory:
    """Triples as PyKEEN takes them."""
    return CoreTriplesFactory(long(triples), graph.n_entities, graph.n_relations)


def long(triples: Triples) -> torch.Tensor:
    """Ids as PyTorch takes them."""
    return torch.from_numpy(triples.astype(np.int64))
