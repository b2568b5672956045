"""Ranks and metrics against PyKEEN's evaluator on the same vectors."""

from __future__ import annotations

import numpy as np
import pytest

from transa.models import FittedModel, TransEEnergy
from transa.ranking import evaluate

KEYS = {
    "mr": "arithmetic_mean_rank",
    "mrr": "inverse_harmonic_mean_rank",
    "hits_at_1": "hits_at_1",
    "hits_at_3": "hits_at_3",
    "hits_at_10": "hits_at_10",
}


def pykeen_metrics(graph, parameters, p):
    """PyKEEN's filtered metrics, to be asked for by side, rule for ties and name."""
    import torch
    from pykeen.evaluation import RankBasedEvaluator
    from pykeen.models import TransE
    from pykeen.triples import CoreTriplesFactory

    train, test, known = (
        torch.from_numpy(triples.astype(np.int64))
        for triples in (graph.train, graph.test, graph.known)
    )
    factory = CoreTriplesFactory(train, graph.n_entities, graph.n_relations)
    dim = parameters["entity"].shape[1]
    model = TransE(triples_factory=factory, embedding_dim=dim, scoring_fct_norm=p, random_seed=0)
    for (representation,), name in (
        (model.entity_representations, "entity"),
        (model.relation_representations, "relation"),
    ):
        representation._embeddings.weight.data.copy_(torch.from_numpy(parameters[name]))
    results = RankBasedEvaluator().evaluate(
        model, test, batch_size=16, use_tqdm=False, additional_filter_triples=known
    )
    return lambda side, ties, key: results.get_metric(f"{side}.{ties}.{KEYS[key]}")


def on_a_grid(parameters):
    """Vectors of few values, so that many candidates tie, in whatever order sums are made."""
    return {name: np.round(4 * table).astype(np.float32) / 4 for name, table in parameters.items()}


@pytest.mark.parametrize(("norm", "p"), [("l1", 1), ("l2", 2)])
@pytest.mark.parametrize("vectors", [dict, on_a_grid], ids=["random", "grid"])
def test_metrics_equal_pykeens(graph, parameters, vectors, norm, p):
    parameters = vectors(parameters)
    theirs = pykeen_metrics(graph, parameters, p)
    for ties in ("realistic", "optimistic", "pessimistic"):
        model = FittedModel(TransEEnergy(8, norm), parameters, graph)
        ours = evaluate(model, ties=ties).overall
        for side in ("both", "head", "tail"):
            found = getattr(ours, side).filtered
            for key in KEYS:
                assert getattr(found, key) == pytest.approx(theirs(side, ties, key), rel=1e-6)
