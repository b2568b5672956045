"""PyKEEN's triples in, a model out: with the real PyKEEN."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from pykeen.datasets import Nations
from pykeen.evaluation import RankBasedEvaluator
from pykeen.predict import predict_target
from pykeen.triples import CoreTriplesFactory, TriplesFactory

import transa
from transa.errors import InputError
from transa.exchange.pykeen_model import triples_factory
from transa.ranking.metrics import Metrics
from transa.ranking.ranks import rank

NAMES = {
    "mr": "arithmetic_mean_rank",
    "mrr": "inverse_harmonic_mean_rank",
    "hits_at_1": "hits_at_1",
}


def test_a_model_gives_pykeen_the_ranks_that_it_has_here(model):
    graph = model.graph_
    train, valid, test = (triples_factory(graph, split) for split in ("train", "valid", "test"))
    found = RankBasedEvaluator().evaluate(
        model.to_pykeen(),
        torch.cat([valid.mapped_triples, test.mapped_triples]),
        batch_size=2,
        use_tqdm=False,
        additional_filter_triples=[train.mapped_triples, valid.mapped_triples],
    )
    ranks = rank(model.model_, np.concatenate([graph.valid, graph.test])).filtered.ranks()
    for side, columns in (("head", 0), ("tail", 1), ("both", slice(None))):
        ours = Metrics.of(ranks[:, columns])
        for name, theirs in NAMES.items():
            wanted = found.get_metric(f"{side}.realistic.{theirs}")
            assert getattr(ours, name) == pytest.approx(wanted, rel=1e-6)


def test_pykeen_predicts_with_it(model):
    graph = model.graph_
    factory = triples_factory(graph)
    found = predict_target(
        model=model.to_pykeen(), head="fr", relation="borders", triples_factory=factory
    ).df
    wanted = -model.model_.energies_of_answers((0, 0, None))
    assert found["score"].to_numpy() == pytest.approx(np.sort(wanted)[::-1], rel=1e-4, abs=1e-5)
    between = predict_target(
        model=model.to_pykeen(), head="fr", tail="es", triples_factory=factory
    ).df
    wanted = model.score_samples([("fr", label, "es") for label in between["relation_label"]])
    assert between["score"].to_numpy() == pytest.approx(wanted, rel=1e-4)
    single = model.to_pykeen().predict_hrt(torch.tensor([[0, 0, 1]])).item()
    assert single == pytest.approx(model.score_samples([("fr", "borders", "es")])[0], rel=1e-4)
    assert model.to_pykeen().collect_regularization_term() == 0


def test_what_was_learnt_is_not_drawn_anew(fitted):
    theirs = fitted.to_pykeen().reset_parameters_()
    assert np.array_equal(theirs.scorer.tables["entity"].detach(), fitted.parameters_["entity"])
    assert theirs.num_entities == 12


@pytest.mark.parametrize("inverse", [False, True])
def test_a_factory_comes_in(inverse):
    rows = np.array([("a", "r", "b"), ("b", "s", "c"), ("c", "r", "a")])
    factory = TriplesFactory.from_labeled_triples(rows, create_inverse_triples=inverse)
    graph = transa.from_pykeen(factory, name="theirs")
    assert graph.entities.labels.to_list() == ["a", "b", "c"]
    assert graph.relations.labels.to_list() == ["r", "s"]
    assert {tuple(row) for row in graph.train.tolist()} == {(0, 0, 1), (1, 1, 2), (2, 0, 0)}
    assert graph.name == "theirs"


def test_a_data_set_comes_in_whole_and_goes_out_again():
    nations = Nations()
    graph = transa.from_pykeen(nations)
    assert len(graph.train) == nations.training.num_triples
    assert len(graph.test) == nations.testing.num_triples
    back = triples_factory(graph, "valid")
    assert torch.equal(back.mapped_triples, nations.validation.mapped_triples)
    assert back.entity_to_id == nations.training.entity_to_id
    assert dict(back.relation_to_id) == dict(nations.training.relation_to_id)


def test_a_factory_without_labels_comes_in():
    factory = CoreTriplesFactory(torch.tensor([[0, 0, 4], [1, 1, 2]]), 6, 3)
    graph = transa.from_pykeen(factory)
    assert (graph.n_entities, graph.n_relations) == (6, 3)
    assert graph.entities.label(4) == "4"


def test_what_is_no_factory_is_refused():
    with pytest.raises(InputError, match="training: expected a triples factory of PyKEEN"):
        transa.from_pykeen([("a", "r", "b")])
    rows = np.array([("a", "r", "b"), ("b", "s", "c")])
    one = TriplesFactory.from_labeled_triples(rows)
    other = TriplesFactory.from_labeled_triples(rows[:1])
    with pytest.raises(InputError, match="testing: its entity_to_id is not that of training"):
        transa.from_pykeen(one, testing=other)
    gaps = SimpleNamespace(mapped_triples=one.mapped_triples, entity_to_id={"a": 0, "b": 1, "c": 3})
    with pytest.raises(InputError, match="without gaps"):
        transa.from_pykeen(gaps)
