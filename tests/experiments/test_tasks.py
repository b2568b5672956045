"""What is measured of a model, held to slower ways of measuring it."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.figures import Surroundings
from experiments.movement import Quantiles
from experiments.running.tasks import Judging, Links, Triples
from experiments.theorem1 import Risks
from transa import TransE


@pytest.fixture(scope="module")
def model(ring):
    return TransE(dim=6, loss="logistic", epochs=20, validate_every=0, threads=1).fit(ring)


@pytest.mark.parametrize("split", ["valid", "test"])
def test_links_are_the_ranks_of_an_evaluation(model, split):
    found, expected = Links().measure(model, split, 1), model.evaluate(split)
    assert found["filtered"] == expected.filtered.to_dict()
    assert found["raw"] == expected.raw.to_dict()
    assert found["mr"] == expected.filtered.mr


def test_a_sample_is_of_the_validation_split_alone(model):
    few = Links(sample=3)
    assert few.measure(model, "valid", 1)["filtered"]["count"] == 6
    assert few.measure(model, "test", 1)["filtered"]["count"] == 2 * len(model.graph_.test)


def test_triples_are_judged_with_thresholds_of_the_validation_split(model):
    ways = (Judging(), Judging("local", "words"))
    found = Triples(ways, seed=3).measure(model, "test", 1)
    for way, told in zip(ways, found["ways"], strict=True):
        model.fit_thresholds(thresholds=way.thresholds, unseen=way.unseen, seed=3)
        expected = model.evaluate_classification("test", seed=3)
        assert told["accuracy"] == expected.accuracy
        assert told["unseen"] == way.unseen
    assert found["accuracy"] == found["ways"][0]["accuracy"]


@pytest.mark.parametrize("split", ["valid", "train"])
def test_risks_are_mean_losses(model, split):
    """With a margin above all energies the hinge is linear: a mean over all corruptions."""
    margin, many = 100.0, 400
    graph, parameters = model.graph_, model.parameters_
    entity, relation = parameters["entity"], parameters["relation"]

    def energy(h, r, t):
        return np.abs(entity[h] + relation[r] - entity[t]).sum()

    known = set(map(tuple, graph.known.tolist()))
    losses = []
    for h, r, t in graph.split(split).tolist():
        tails = [e for e in range(graph.n_entities) if (h, r, e) not in known]
        heads = [e for e in range(graph.n_entities) if (e, r, t) not in known]
        corrupted = (
            np.mean([energy(h, r, e) for e in tails]) + np.mean([energy(e, r, t) for e in heads])
        ) / 2
        losses.append(energy(h, r, t) + margin - corrupted)
    found = Risks(margin, corruptions=many).measure(model, "valid", 1)
    name = "empirical" if split == "train" else "risk"
    assert found[name] == pytest.approx(np.mean(losses), abs=0.4)
    greatest = max(energy(*triple) for triple in graph.train.tolist())
    assert found["f_hat"] == pytest.approx(greatest, rel=1e-5)
    assert found["gap"] == pytest.approx(found["risk"] - found["empirical"])


def test_quantiles_are_of_each_entity_once(fitted):
    """The atlas has ten heads and eleven tails in training; M_ent has one value for each."""
    found = Quantiles(rounds=200).measure(fitted, "valid", 1)
    labels = fitted.graph_.entities
    anchors = [fitted.spheres(labels.label(i)) for i in range(len(labels))]
    m_ent = [s.m_ent("active") for both in anchors for s in both if s.relations]
    m_rel = [r.m_rel for both in anchors for s in both for r in s.relations]
    assert found["M_rel"] == pytest.approx(np.quantile(m_rel, np.linspace(0, 1, 21)), abs=2e-4)
    assert found["median M_ent"] == pytest.approx(np.median(m_ent), rel=0.2)


def test_surroundings_are_of_an_entity_with_few_neighbours(fitted):
    found = Surroundings(most_neighbours=3).measure(fitted, "valid", 1)
    neighbours = len(found["entities"]) - 1
    assert 1 <= neighbours <= 3
    assert len(found["vectors"]) == neighbours + 1
    for told in found["relations"]:
        assert sorted(told["positives"] + told["negatives"]) == list(range(1, neighbours + 1))
