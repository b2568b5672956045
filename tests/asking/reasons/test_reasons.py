"""Reasons against plain counts over sets of triples."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl
import pytest

from transa import from_ids, from_labels
from transa.asking.reasons import likeness, paths, relations
from transa.asking.reasons.case import Case
from transa.asking.reasons.explaining import reasons_of
from transa.asking.reasons.facts import has
from transa.asking.reasons.paths import Pattern, confidence, paths_along
from transa.errors import ConfigError, UnknownNameError
from transa.models import FittedModel, TransEEnergy

ENTITIES, RELATIONS = 14, 3


def model_of(graph) -> FittedModel:
    energy = TransEEnergy(4, "l1")
    rng = np.random.default_rng(0)
    return FittedModel(energy, energy.initialise(graph.n_entities, graph.n_relations, rng), graph)


@pytest.fixture(params=range(4))
def model(request) -> FittedModel:
    rng = np.random.default_rng(request.param)
    triples = rng.integers(0, (ENTITIES, RELATIONS, ENTITIES), (110, 3))
    return model_of(from_ids(triples, n_entities=ENTITIES, n_relations=RELATIONS))


def facts_of(model: FittedModel) -> set[tuple[int, int, int]]:
    return set(map(tuple, model.graph.known.tolist()))


def joined(facts, relation, forth):
    """Pairs that a relation joins, in one sense or the other."""
    pairs = {(h, t) for h, r, t in facts if r == relation}
    return pairs if forth else {(t, h) for h, t in pairs}


def counted(facts, pattern, asked):
    """Of the pairs that a pattern joins, but for the one asked about: those with the relation."""
    head, relation, tail = asked
    one = joined(facts, pattern.first, pattern.first_forth)
    other = joined(facts, pattern.second, pattern.second_forth)
    pairs = {
        (a, b)
        for (a, x), (y, b) in product(one, other)
        if x == y and len({a, x, b}) == 3 and (a, b) != (head, tail)
    }
    return sum((a, relation, b) in facts for a, b in pairs), len(pairs)


def test_what_is_known_is_found_for_many_pairs_at_once(model):
    heads, tails = np.divmod(np.arange(ENTITIES**2), ENTITIES)
    for relation in range(RELATIONS):
        expected = [(h, relation, t) in facts_of(model) for h, t in zip(heads, tails, strict=True)]
        assert has(model.known, relation, heads, tails).tolist() == expected


def test_relations_that_go_along_are_counted_as_they_are(model):
    facts = facts_of(model)
    seen = 0
    for head, tail in product(range(ENTITIES), repeat=2):
        case = Case(model, head, 1, tail)
        told = {(reason.kind, reason.facts): reason for reason in relations.relations_along(case)}
        for relation, forth in product(range(RELATIONS), (True, False)):
            fact = (head, relation, tail) if forth else (tail, relation, head)
            others = joined(facts, relation, forth) - {(head, tail)}
            if fact not in facts or (relation, forth) == (1, True) or not others:
                continue
            reason = told.pop(("relation" if forth else "inverse", (case.fact(*fact),)))
            assert reason.support == sum((h, 1, t) in facts for h, t in others)
            assert (reason.cases, reason.exact, reason.speaks) == (len(others), True, "for")
            seen += 1
        assert told == {}
    assert seen > 50


def test_paths_are_counted_as_they_are(model):
    facts = facts_of(model)
    senses = product(range(RELATIONS), (True, False), range(RELATIONS), (True, False))
    for pattern in map(Pattern._make, senses):
        support, cases = counted(facts, pattern, (3, 2, 5))
        assert confidence(Case(model, 3, 2, 5), pattern) == (support, cases, True)


def test_every_path_that_is_told_is_there(model, monkeypatch):
    monkeypatch.setattr(paths, "_MOST_PATTERNS", 1000)
    graph, facts = model.graph, facts_of(model)
    ids = {(graph.entities.label(h), graph.relations.label(r), graph.entities.label(t))
           for h, r, t in facts}  # fmt: skip
    told = list(paths_along(Case(model, 3, 2, 5)))
    assert told
    for reason in told:
        one, other = reason.facts
        assert {one, other} <= ids
        (middle,) = {one[0], one[2]} - {graph.entities.label(3)}
        assert {other[0], other[2]} == {middle, graph.entities.label(5)}


def test_round_a_hub_a_sample_tells_about_the_same():
    """Everyone leads to a hub and back: 22,000 pairs by way of it, of which a tenth is true."""
    rng = np.random.default_rng(0)
    n = 150
    spokes = [(i, 0, 0) for i in range(1, n)] + [(0, 1, i) for i in range(1, n)]
    true = [(h, 2, t) for h, t in product(range(1, n), repeat=2) if h != t and rng.random() < 0.1]
    model = model_of(from_ids(np.array(spokes + true)))
    case, pattern = Case(model, 1, 2, 2), Pattern(0, True, 1, True)
    exact = counted(facts_of(model), pattern, (1, 2, 2))
    for bounds in ({"_MOST_FACTS": 20}, {"_MOST_PAIRS": 1000}, {"_MOST_PAIRS": 50}):
        with pytest.MonkeyPatch.context() as patch:
            for name, most in bounds.items():
                patch.setattr(paths, name, most)
            support, cases, is_exact = confidence(case, pattern)
        assert not is_exact
        assert cases < exact[1] / 4
        assert support / cases == pytest.approx(exact[0] / exact[1], abs=0.06)


def test_a_large_relation_and_many_like_ones_are_drawn_from(monkeypatch):
    rng = np.random.default_rng(0)
    triples = rng.integers(0, (ENTITIES, 2, ENTITIES), (150, 3))
    model = model_of(from_ids(np.concatenate([triples, [[3, 0, 5], [3, 1, 5], [4, 1, 5]]])))
    monkeypatch.setattr(relations, "_MOST", 10)
    monkeypatch.setattr(likeness, "_MOST", 5)
    found = [
        *relations.relations_along(Case(model, 3, 1, 5)),
        *likeness.likeness(Case(model, 3, 1, 5)),
    ]
    assert {reason.kind for reason in found} >= {"relation", "similar heads", "similar tails"}
    assert not any(reason.exact for reason in found)
    assert all(reason.cases <= 10 for reason in found)


TOWNS = [
    *((f"p{i}", "born in", f"town{i % 4}") for i in range(12)),
    *((f"p{i}", "lives in", f"town{i % 4}") for i in range(10)),
    *((f"town{i}", "part of", "land") for i in range(4)),
    *((f"p{i}", "citizen of", "land") for i in range(9)),
]


@pytest.fixture(scope="module")
def towns() -> FittedModel:
    return model_of(from_labels(TOWNS))


def told(model, *labels, k=10):
    entities, names = model.graph.entities, model.graph.relations
    return reasons_of(model, entities.id(labels[0]), names.id(labels[1]), entities.id(labels[2]), k)


def test_what_speaks_for_an_answer_comes_with_its_counts(towns):
    by_kind = {reason.kind: reason for reason in told(towns, "p10", "lives in", "town2")}
    along = by_kind["relation"]
    assert along.facts == (("p10", "born in", "town2"),)
    assert (along.support, along.cases) == (10, 11)
    assert "10 of 11 (91%)" in along.text
    path = {r.kind: r for r in told(towns, "p9", "citizen of", "land")}["path"]
    assert path.facts == (("p9", "born in", "town1"), ("town1", "part of", "land"))
    assert (path.support, path.cases) == (9, 11)


def test_that_it_is_known_already_counts_for_nothing(towns):
    before = told(model_of(from_labels([t for t in TOWNS if t != ("p3", "lives in", "town3")])),
                  "p3", "lives in", "town3")  # fmt: skip
    after = told(towns, "p3", "lives in", "town3")
    assert after.known == "train"
    assert before.known is None
    assert after.rank is None
    assert before.rank >= 1
    # Vectors are drawn by position, so that what is like what differs between the two.
    counts = [
        {(r.kind, r.facts, r.support, r.cases) for r in said if r.kind in ("relation", "path")}
        for said in (before, after)
    ]
    assert counts[0] == counts[1] != set()


def test_what_speaks_against_an_answer(towns):
    kinds = {
        reason.kind: reason for reason in told(towns, "land", "born in", "p3").speaking("against")
    }
    assert {"domain", "range"} <= kinds.keys()
    assert "land is no head of born in" in kinds["domain"].text
    taken = {r.kind: r for r in told(towns, "p3", "born in", "town0")}["taken"]
    assert taken.facts == (("p3", "born in", "town3"),)
    assert (taken.support, taken.cases) == (12, 12)
    assert {r.kind for r in told(towns, "p3", "born in", "p3")} >= {"loop"}


def test_of_an_entity_without_training_nothing_was_learnt(atlas):
    energy = TransEEnergy(4)
    graph = replace(atlas, train=atlas.train[:3], test=atlas.train[3:])
    model = FittedModel(energy, energy.initialise(12, 2, np.random.default_rng(0)), graph)
    said = reasons_of(model, 0, 1, 6)
    assert said.speaking("against")[0].kind == "unseen"
    assert "no training triple" in said.sentence


def test_a_low_rank_names_who_is_before(towns):
    (low,) = (r for r in told(towns, "p3", "citizen of", "p7") if r.kind == "rank")
    assert low.speaks == "against"
    assert str(told(towns, "p3", "citizen of", "p7").rank - 1) in low.text


def test_they_become_a_frame_and_a_sentence(towns):
    said = told(towns, "p10", "lives in", "town2")
    frame = said.to_polars()
    assert frame.schema == pl.Schema(said.schema)
    assert frame["facts"][0].to_list() == [["p10", "born in", "town2"]]
    assert said.sentence.startswith("p10 · lives in · town2: p10 · born in · town2 is known")
    assert "What speaks for it" in str(said)
    assert str(told(towns, "land", "born in", "land")).count("Nothing known speaks for it") == 1


def test_no_more_than_asked_for(towns):
    said = told(towns, "p10", "lives in", "town0", k=1)
    assert len(said.speaking("for")) <= 1 == len(said.speaking("against"))
    with pytest.raises(ConfigError, match="at least 1"):
        told(towns, "p10", "lives in", "town0", k=0)


def test_an_estimator_is_asked_by_name(fitted):
    said = fitted.reasons("France", "borders", "Germany")
    assert said.question == "France · borders · Germany"
    assert {r.kind for r in said} >= {"inverse"}
    new = fitted.reasons("Spain", "borders", "Germany")
    assert 0 <= new.probability <= 1
    (mine,) = (
        row for row in fitted.predict_tails("Spain", "borders", k=12) if row.name == "Germany"
    )
    assert (mine.rank, mine.probability) == (new.rank, pytest.approx(new.probability))
    assert mine.score == pytest.approx(new.score)
    with pytest.raises(UnknownNameError, match="did you mean"):
        fitted.reasons("Frence", "borders", "Spain")
