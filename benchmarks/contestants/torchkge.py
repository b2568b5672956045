"""TorchKGE: the training loop of its documentation, and LinkPredictionEvaluator.

Its TransE puts the entities of a batch on the unit sphere inside the energy, and its L2 is squared;
neither can be switched off.
"""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import torch
from torchkge import KnowledgeGraph, LinkPredictionEvaluator, MarginLoss, TransEModel
from torchkge.sampling import UniformNegativeSampler
from torchkge.utils import DataLoader

from benchmarks.tasks import BATCH_RATES, MARGIN, Ranker, RankingTask, TrainingPass, TrainingTask
from transa.graph import Graph, Triples
from transa.ranking import rank as rank_ours

NAME = "TorchKGE"
BATCHES = {1: (1024, 4096, 16384), 16: (256, 1024, 4096)}
RANKING_BATCHES = (8, 32)


def train(task: TrainingTask, batch: int, triples: Triples) -> TrainingPass:
    """Two epochs from fresh vectors, of which the second is timed."""
    torch.set_num_threads(task.threads)
    torch.manual_seed(0)
    graph = _knowledge_graph(task.graph, triples, _Known())
    model = TransEModel(
        task.dim,
        task.graph.n_entities,
        task.graph.n_relations,
        dissimilarity_type=task.norm.upper(),
    )
    criterion = MarginLoss(MARGIN)
    # Its loss is a sum.
    rate = BATCH_RATES[task.norm] / (batch * task.negatives)
    optimiser = torch.optim.SGD(model.parameters(), lr=rate)
    sampler = UniformNegativeSampler(graph, n_neg=task.negatives)
    batches = DataLoader(graph, batch_size=batch)
    times, losses = [], []
    for _ in range(2):
        total = 0.0
        for h, t, r in batches:
            negative_h, negative_t = sampler.corrupt_batch(h, t, r)
            optimiser.zero_grad()
            positive, negative = model(h, t, r, negative_h, negative_t)
            loss = criterion(positive, negative)
            loss.backward()
            optimiser.step()
            total += loss.item()
        model.normalize_parameters()
        times.append(time.perf_counter())
        losses.append(total)
    return TrainingPass(len(triples) / (times[1] - times[0]), tuple(losses))


def ranker(task: RankingTask, batch: int) -> Ranker:
    """Ranks of triples, filtered, (n, 2), head then tail; ties count against the true entity."""
    torch.set_num_threads(task.threads)
    model = TransEModel(
        task.model.energy.dim,
        task.graph.n_entities,
        task.graph.n_relations,
        dissimilarity_type=task.norm.upper(),
    )
    model.ent_emb.weight.data.copy_(torch.from_numpy(task.parameters["entity"]))
    model.rel_emb.weight.data.copy_(torch.from_numpy(task.parameters["relation"]))
    known = _known(task.graph)

    def rank(triples: Triples) -> np.ndarray:
        evaluator = LinkPredictionEvaluator(model, _knowledge_graph(task.graph, triples, known))
        with torch.no_grad():  # which it does not do by itself, and which only helps it
            evaluator.evaluate(b_size=batch, verbose=False)
        ranks = (evaluator.filt_rank_true_heads, evaluator.filt_rank_true_tails)
        return torch.stack(ranks, dim=1).numpy()

    return rank


def check_ranks(task: RankingTask, found: np.ndarray, triples: Triples) -> None:
    """Its ranks must be ours, one by one."""
    ours = rank_ours(task.model, triples)
    differ = int((ours.filtered.ranks("pessimistic") != found).sum())
    if differ:
        raise AssertionError(f"{differ} of {found.size} ranks of TorchKGE's differ from transa's")


@dataclass(frozen=True, eq=False)
class _Known:
    """True triples as TorchKGE looks them up; training does not."""

    dict_of_heads: defaultdict[tuple[int, int], set[int]] = field(
        default_factory=lambda: defaultdict(set)
    )
    dict_of_tails: defaultdict[tuple[int, int], set[int]] = field(
        default_factory=lambda: defaultdict(set)
    )
    dict_of_rels: defaultdict[tuple[int, int], set[int]] = field(
        default_factory=lambda: defaultdict(set)
    )


@cache
def _known(graph: Graph) -> _Known:
    """All that is known of a graph: made once, and not timed."""
    known = _Known()
    for h, r, t in graph.known.tolist():
        known.dict_of_heads[t, r].add(h)
        known.dict_of_tails[h, r].add(t)
        known.dict_of_rels[h, t].add(r)
    return known


def _knowledge_graph(graph: Graph, triples: Triples, known: _Known) -> KnowledgeGraph:
    heads, relations, tails = (torch.from_numpy(ids.astype(np.int64)) for ids in triples.T)
    return KnowledgeGraph(
        kg={"heads": heads, "tails": tails, "relations": relations},
        ent2ix={i: i for i in range(graph.n_entities)},
        rel2ix={i: i for i in range(graph.n_relations)},
        **vars(known),
    )
