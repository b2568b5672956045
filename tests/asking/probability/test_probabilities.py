"""Probabilities: what they are computed from, and whether they can be taken at their word."""

from __future__ import annotations

import numpy as np
import pytest

import transa
from transa.asking.probability import fitting
from transa.asking.probability.curves import (
    PLACES,
    Curve,
    Curves,
    Probabilities,
    Reliability,
    traits_of,
)
from transa.asking.probability.fitting import fit_probabilities, measure_probabilities
from transa.errors import InputError, NotFittedError
from transa.models import FittedModel

NOTHING = Reliability(0, 0.0, 0.0, ())


def test_an_answer_is_held_against_its_rivals():
    energies = np.array([[1.0, 3.0, 5.0, np.inf]])
    rivals = np.array([[1.0, 2.0, 4.5, np.inf]])
    traits = traits_of(energies, rivals, np.array([3]), np.array([[7, 7, 7, 7]]))
    gap, rank, first, lead, known = np.moveaxis(traits.inputs, -1, 0)
    assert gap.tolist() == [[0.0, -2.0, -4.0, 0.0]]
    np.testing.assert_allclose(rank[0, :3], -np.log([1, 3, 4]))
    assert first[0, :3].tolist() == [1.0, 0.0, 0.0]
    assert lead.tolist() == [[3.5] * 4]
    np.testing.assert_allclose(known, np.log(4))


def test_a_rounding_puts_nobody_ahead():
    rivals = np.array([[100.0, 200.0]])
    answer = np.array([[100.0001]])
    traits = traits_of(answer, rivals, np.array([0]), np.zeros((1, 1), int))
    assert traits.inputs[0, 0, 1] == 0
    assert traits.inputs[0, 0, 2] == 100


def test_the_tenth_is_the_last_that_counts():
    rivals = np.arange(12.0)[None]
    traits = traits_of(rivals, rivals, np.array([0]), np.zeros((1, 12)))
    assert traits.inputs[0, 0, 3] == 9
    assert traits.inputs[0, 11, 1] == traits.inputs[0, 10, 1]
    none = np.full((1, 1), np.inf)
    assert not traits_of(none, none, np.array([0]), np.zeros((1, 1))).inputs.any()


def test_a_relation_has_its_own_curve_or_that_of_all():
    pooled, other = Curve(1.0, 0.0, 0.0, 0.0, 0.0, 0.0), Curve(0.0, 0.0, 0.0, 2.0, -1.0, 1.0)
    curves = Curves(pooled, {1: other}, NOTHING)
    told = Probabilities(curves, curves, curves)
    energies, relations = np.array([[0.0, 2.0], [0.0, np.inf]]), np.array([[0, 0], [1, 1]])
    rivals = np.array([[0.0, 2.0], [0.0, 0.5]])
    found = told.of_answers("tail", energies, rivals, np.array([0, 1]), relations)
    np.testing.assert_allclose(found[0], [0.5, 1 / (1 + np.exp(2))])
    assert found[1, 0] == pytest.approx(1 / (1 + np.exp(-(1 + 1 - np.log(2)))))
    assert np.isnan(found[1, 1])


@pytest.fixture(scope="module")
def learnt():
    """A model that has learnt something, of a graph with a valid and a test split."""
    return transa.TransA(dim=20, epochs=40, patience=0, threads=2).fit("countries")


def test_they_can_be_taken_at_their_word(learnt):
    """On the test split, which had no part in fitting them."""
    told = learnt.evaluate_probabilities("test")
    assert set(told) == set(PLACES)
    for place in PLACES:
        kept = learnt.probabilities_.of_place(place).reliability
        assert told[place].error < 0.04
        assert told[place].error_of_first < 0.2
        assert kept.error < 0.04
        assert kept.questions > 200
        assert sum(each.count for each in told[place].bins) <= 10 * told[place].questions
    # Somewhere they are sure, and rightly so.
    sure = [each for each in told["relation"].bins if each.predicted > 0.8]
    assert sure
    assert all(each.observed > 0.7 for each in sure)


def test_behind_the_first_the_better_answer_is_never_the_less_probable(learnt):
    for head in ("France", "Peru", "Japan"):
        told = [a.probability for a in learnt.predict_tails(head, "borders", 50)]
        assert all(0 < p < 1 for p in told)
        assert told[1:] == sorted(told[1:], reverse=True)


def test_the_valid_split_is_asked_with_only_the_others_known(learnt):
    """Else its answers would be left out, and nothing would be true."""
    answered = fitting._answered(learnt.model_, "valid", "tail", 0, 1)
    assert answered.truth.any(axis=1).mean() > 0.2


def test_a_sample_is_enough_and_the_same_each_time(learnt, monkeypatch):
    monkeypatch.setattr(fitting, "_SAMPLE", 50)
    one, other = (fit_probabilities(learnt.model_, seed=3, threads=1) for _ in range(2))
    assert one == other
    assert one.tail.reliability.questions == 50
    assert one != fit_probabilities(learnt.model_, seed=4, threads=1)


def test_energies_that_tell_nothing_give_everyone_the_same_chance(learnt):
    """Turned round, the best are the worst; the fit must not hold the worse more probable."""
    model = learnt.model_
    graph = model.graph
    rng = np.random.default_rng(0)
    tables = model.energy.initialise(graph.n_entities, graph.n_relations, rng)
    probabilities = fit_probabilities(FittedModel(model.energy, tables, graph), threads=1)
    for place in PLACES:
        curves = probabilities.of_place(place)
        for curve in (curves.pooled, *curves.own.values()):
            assert min(curve.gap, curve.rank) >= 0


def test_a_slope_that_would_fall_is_flat():
    rng = np.random.default_rng(0)
    gaps = np.sort(rng.random((200, 10)), axis=1)
    truth = np.zeros((200, 10), dtype=bool)
    truth[:, 9] = True
    traits = traits_of(gaps, gaps, np.zeros(200, int), np.zeros((200, 10), int))
    pooled, own = fitting._fit(fitting._Answered(traits, truth, np.ones_like(truth)))
    for curve in (pooled, own[0]):
        assert (curve.gap, curve.rank) == (0.0, 0.0)
        assert curve.probabilities(traits).mean() == pytest.approx(0.1, abs=0.01)


def test_without_validation_triples_there_are_none():
    graph = transa.from_labels([("a", "r", "b"), ("b", "r", "c")], split=None)
    model = transa.TransE(dim=4, epochs=2, threads=1).fit(graph)
    assert model.learnt_.probabilities is None
    assert model.predict_tails("a", "r")[0].probability is None
    with pytest.raises(NotFittedError, match="no validation triples"):
        model.evaluate_probabilities()


def test_a_split_that_is_empty_is_refused(learnt):
    graph = transa.from_ids(learnt.graph_.train, learnt.graph_.valid)
    model = FittedModel(learnt.model_.energy, learnt.parameters_, graph)
    with pytest.raises(InputError, match="no test triples"):
        measure_probabilities(model, learnt.probabilities_)


def test_one_validation_triple_and_no_candidates_will_do():
    graph = transa.from_ids([[0, 0, 1]], valid=[[1, 0, 0]])
    model = transa.TransE(dim=4, epochs=2, threads=1).fit(graph)
    told = model.probabilities_
    assert told.relation.reliability.questions == 1
    assert (
        0
        < told.tail.pooled.probabilities(
            traits_of(np.ones((1, 1)), np.ones((1, 1)), np.zeros(1, int), np.zeros((1, 1), int))
        )[0, 0]
        < 1
    )


def test_a_triple_is_as_probable_as_the_answer_that_it_is(learnt):
    told = learnt.predict_tails("France", "borders", 20)
    triples = [("France", "borders", answer.label) for answer in told]
    found = learnt.probability(triples, threads=1)
    np.testing.assert_allclose(found, [answer.probability for answer in told], rtol=1e-3)
    # What the graph has is no prediction, and no country borders itself.
    assert np.isnan(learnt.probability([("France", "borders", "Spain")])).all()
    assert np.isnan(learnt.probability([("France", "borders", "France")])).all()
    assert learnt.probability([]).shape == (0,)
