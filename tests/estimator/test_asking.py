"""Estimators that have learnt: questions by name."""

from __future__ import annotations

import numpy as np
import pytest

import transa
from transa import Adaptive, TransA
from transa.errors import (
    ConfigError,
    TransaError,
)


def energy_of(model, h, r, t):
    vectors = model.parameters_
    return np.abs(vectors["entity"][h] + vectors["relation"][r] - vectors["entity"][t]).sum()


def ranking(model, question, left_out=()):
    """All candidates for the gap in ids, by definition."""
    gap = question.index(None)
    n = model.graph_.n_relations if gap == 1 else model.graph_.n_entities
    scored = []
    for candidate in set(range(n)) - set(left_out):
        h, r, t = (candidate if part is None else part for part in question)
        scored.append((energy_of(model, h, r, t), candidate))
    return [candidate for _, candidate in sorted(scored)]


def test_tails_leave_out_what_is_known_in_any_split(fitted):
    ids = fitted.graph_.entities
    # France borders Spain, Belgium and Germany; nothing in the atlas borders itself.
    wanted = ranking(fitted, (0, 0, None), left_out={0, 1, 3, 4})
    found = fitted.predict_tails("fr", "borders", k=100)
    assert [ids.id(answer.label) for answer in found] == wanted
    assert [answer.rank for answer in found] == list(range(1, 9))
    assert all(answer.known is None for answer in found)
    assert found.question == "France · borders · ?"
    assert fitted.predict_tails("France", "borders", k=3).rows == found.rows[:3]


def test_known_answers_can_stay_marked_with_their_split(fitted):
    found = fitted.predict_tails("Belgium", "borders", k=100, known=True)
    splits = {answer.name: answer.known for answer in found if answer.known}
    assert splits == {"France": "train", "Germany": "valid"}
    (paris,) = (a for a in fitted.predict_tails("fr", "capital", 99, known=True) if a.known)
    assert (paris.name, paris.known) == ("Paris", "test")


def test_heads_and_relations(fitted):
    ids = fitted.graph_.entities
    heads = fitted.predict_heads("capital", "Madrid", k=100)
    wanted = ranking(fitted, (None, 1, 7), left_out={1, 7})
    assert [ids.id(answer.label) for answer in heads] == wanted
    assert heads.question == "? · capital · Madrid"
    relations = fitted.predict_relations("fr", "es", k=5, known=True)
    wanted = ranking(fitted, (0, None, 1))
    assert [fitted.graph_.relations.id(answer.label) for answer in relations] == wanted
    assert {a.label: a.known for a in relations} == {"borders": "train", "capital": None}


def test_an_entity_may_answer_about_itself_where_the_relation_has_loops():
    rows = [("a", "likes", "a"), ("b", "likes", "b"), ("a", "knows", "b"), ("c", "likes", "b")]
    graph = transa.from_labels(np.array(rows), split=None)
    model = TransA(dim=4, epochs=1, threads=1).fit(graph)
    assert "c" in {a.label for a in model.predict_tails("c", "likes")}
    assert "c" not in {a.label for a in model.predict_tails("c", "knows")}


def test_scores_are_minus_the_energy(fitted):
    triples = [("fr", "borders", "es"), ("Spain", "capital", "m a")]
    expected = [-energy_of(fitted, 0, 0, 1), -energy_of(fitted, 1, 1, 7)]
    np.testing.assert_allclose(fitted.score_samples(triples), expected, rtol=1e-5)
    np.testing.assert_allclose(fitted.score_samples(np.array(triples)), expected, rtol=1e-5)
    assert fitted.score_samples([]).shape == (0,)
    best = fitted.predict_tails("fr", "borders")[0]
    assert best.score == pytest.approx(fitted.score_samples([("fr", "borders", best.label)])[0])


def test_similar_are_the_nearest_vectors(fitted):
    vectors = fitted.parameters_["entity"]
    distances = np.abs(vectors - vectors[4]).sum(axis=1)
    wanted = [i for i in np.argsort(distances, kind="stable") if i != 4]
    found = fitted.similar("Germany", k=100)
    assert [fitted.graph_.entities.id(answer.label) for answer in found] == wanted
    assert found[0].score == pytest.approx(-distances[wanted[0]])


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda m: m.predict_tails("Frence", "borders"), "unknown entity 'Frence'.*'France'"),
        (lambda m: m.predict_tails("France", "border"), "unknown relation 'border'.*'borders'"),
        (lambda m: m.predict_heads("capital", "paris"), "did you mean 'Paris'"),
        (lambda m: m.predict_tails("France", "borders", k=0), "at least 1; found 0"),
        (lambda m: m.similar("France", k=-1), "at least 1; found -1"),
        (lambda m: m.similar("Frankreich"), "unknown entity"),
        (lambda m: m.score_samples([("France", "borders")]), "row 0: expected three labels"),
        (lambda m: m.evaluate("tests"), "no split 'tests'"),
    ],
)
def test_wrong_questions_are_told_in_a_sentence(fitted, ask, sentence):
    with pytest.raises(TransaError, match=sentence):
        ask(fitted)


def test_evaluate_ranks_a_split(fitted):
    found = fitted.evaluate("test")
    # The one test triple: France's capital among the tails, and the country among the heads.
    tail = 1 + ranking(fitted, (0, 1, None)).index(6)
    head = 1 + ranking(fitted, (None, 1, 6)).index(0)
    assert found.raw.mr == pytest.approx((tail + head) / 2)
    assert fitted.evaluate("valid", ties="optimistic").ties == "optimistic"


def test_margins_are_those_of_the_margin_asked_for(fitted, atlas):
    frame = fitted.margins(Adaptive(mu=0.25, reading="spheres"))
    head, tail = transa.margins.adaptive_margins(
        atlas.train, *fitted.parameters_.values(), mu=0.25, norm=1, reading="spheres"
    )
    np.testing.assert_array_equal(frame["head_anchored"], head)
    np.testing.assert_array_equal(frame["tail_anchored"], tail)
    assert frame.row(0)[:3] == ("fr", "borders", "es")
    assert fitted.margins().equals(fitted.margins(fitted.settings.recipe.margin))


def test_margins_are_for_translations(atlas):
    model = transa.Estimator("ntn", dim=4, epochs=1, threads=1).fit(atlas)
    with pytest.raises(ConfigError, match="ntn is no translation"):
        model.margins()


@pytest.mark.parametrize("k", [0, 1.5, "3"])
def test_a_number_of_answers_that_is_none_is_refused(fitted, k):
    with pytest.raises(ConfigError, match="is a whole number of at least 1"):
        fitted.similar("Spain", k)
