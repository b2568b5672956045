"""What is found against a sort of every triple there is."""

from __future__ import annotations

from collections import Counter
from copy import copy
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from transa import from_ids
from transa.asking.discovery import searching
from transa.asking.discovery.discovering import Rules, Search
from transa.asking.discovery.order import Order, by_probability, by_standing
from transa.asking.discovery.types import Places
from transa.errors import ConfigError, TooLargeError, UnknownNameError
from transa.models import MODELS, FittedModel

N, R = 14, 3

# Lower relations first, by their energies; whole numbers apart, so that none are equal.
BY_ENERGY = Order(lambda relation, _, energies: -energies - relation / 7, is_probability=False)


@pytest.fixture(
    params=[
        ("transe", {"norm": "l1"}),
        ("transe", {"norm": "l2"}),
        ("transe", {"norm": "l2sq"}),
        ("transe", {"norm": "l1", "reciprocal": True}),
        ("transh", {"norm": "l1"}),
        ("transr", {"norm": "l2"}),
        ("unstructured", {}),
        ("distmult", {}),
        ("complex", {"reciprocal": True}),
        ("rotate", {}),
        ("ntn", {}),
    ],
    ids=lambda param: " ".join([param[0], *map(str, param[1].values())]),
)
def model(request) -> FittedModel:
    name, options = request.param
    rng = np.random.default_rng(1)
    triples = np.concatenate([rng.integers(0, (N - 2, R, N), (60, 3)), [[0, 1, 0]]])
    energy = MODELS[name].energy(dim=6, **options)
    tables = energy.initialise(N, R, rng)
    tables = {table: np.round(rows * 64) / np.float32(64) for table, rows in tables.items()}
    return FittedModel(energy, tables, from_ids(triples, n_entities=N, n_relations=R))


def every_new(model, types="any") -> dict[tuple[int, int, int], float]:
    """All triples that may be, with their energies as tails."""
    known = set(map(tuple, model.graph.known.tolist()))
    loops = {r for h, r, t in known if h == t}
    places, found = Places(model.graph, types), {}
    for r in range(R):
        tails = places.fit(r, "tail").tolist()
        for h in places.fit(r, "head").tolist():
            energies = model.energies_of_answers((h, r, None)).tolist()
            new = (t for t in tails if (h, r, t) not in known and (h != t or r in loops))
            found |= {(h, r, t): energies[t] for t in new}
    return found


def by_definition(model, order, rules):
    """The rules in turn, over all triples at once."""
    energies = every_new(model, rules.types)
    values = {
        (h, r, t): float(order.plausibility(r, np.array([h]), np.array([[energy]]))[0, 0])
        for (h, r, t), energy in energies.items()
    }
    facts = sorted(values, key=lambda fact: (-values[fact], fact[1], energies[fact], fact[2]))
    for place, most in ((0, rules.per_head), (2, rules.per_tail), (1, rules.per_relation)):
        seen, kept = Counter(), []
        for fact in facts:
            seen[fact[place]] += 1
            if most is None or seen[fact[place]] <= most:
                kept.append(fact)
        # Ties are told in the order of relation, head and tail.
        facts = sorted(kept, key=lambda fact: (-values[fact], fact[1], fact[0], fact[2]))
    return facts[: rules.top]


def ids_of(model, found):
    entities, relations = model.graph.entities, model.graph.relations
    return [(entities.id(f.head), relations.id(f.relation), entities.id(f.tail)) for f in found]


@pytest.mark.parametrize(
    "rules",
    [
        Rules(),
        Rules(top=7, types="any"),
        Rules(per_head=2, per_tail=3, per_relation=4, types="any"),
        Rules(per_head=1, per_tail=1, types="alike"),
    ],
    ids=str,
)
@pytest.mark.parametrize("pairs", [1 << 25, 50])
def test_what_is_found_is_what_a_sort_of_everything_finds(model, rules, pairs, monkeypatch):
    monkeypatch.setattr(searching, "_PAIRS", pairs)
    if pairs == 50:
        monkeypatch.setattr(searching, "_ROWS", 5)
        monkeypatch.setattr(searching, "_BUDGET", 100)
    found = Search(model, BY_ENERGY, rules, range(R)).run()
    assert ids_of(model, found) == by_definition(model, BY_ENERGY, rules)
    assert found.complete
    assert [fact.rank for fact in found] == list(range(1, len(found) + 1))
    new = every_new(model, rules.types)
    scores = [-new[fact] for fact in ids_of(model, found)]
    assert [fact.score for fact in found] == pytest.approx(scores, rel=1e-5, abs=1e-6)


def test_orders_of_models_do_not_rise_with_the_energy(model):
    for order in (by_standing(model), by_probability(model, probabilities())):
        values = order.plausibility(1, np.arange(4), np.tile(np.linspace(-9, 9, 50), (4, 1)))
        assert (np.diff(values, axis=1) <= 1e-12).all()
        assert np.isfinite(values).all()


def probabilities():
    from transa.asking.probability.curves import Curve, Curves, Probabilities, Reliability

    curves = Curves(Curve(1.0, 0.2, 0.1, 0.3, 0.4, 0.5), {}, Reliability(0, 0.0, 0.0, ()))
    return Probabilities(curves, curves, curves)


def test_who_has_had_its_share_is_less_likely_to_have_more():
    """Ninety heads have one tail and ten have two: one in ten of the first kind has another."""
    triples = [(i, 0, 100 + i % 7) for i in range(100)] + [(i, 0, 110) for i in range(10)]
    graph = from_ids(np.array(triples), n_entities=120)
    energy = MODELS["transe"].energy(dim=4)
    model = FittedModel(energy, energy.initialise(120, 1, np.random.default_rng(0)), graph)
    order = by_probability(model, probabilities())
    heads = np.array([50, 5, 119])
    values = order.plausibility(0, heads, np.full((3, 1), 1e-3))
    of_tails, energy_ = probabilities().of_answers, np.full((1, 1), 1e-3)
    p = [
        of_tails("tail", energy_, _rivals(model, head), np.array([has]), np.zeros((1, 1), int))[
            0, 0
        ]
        for head, has in zip(heads.tolist(), (1, 2, 0), strict=True)
    ]
    assert (values[:, 0] / p).tolist() == pytest.approx([11 / 102, 1 / 12, 1.0])


def _rivals(model, head):
    energies = model.energies_of_answers((head, 0, None)).copy()
    energies[[head, *model.known.answers_to((head, 0, None))]] = np.inf
    return np.sort(energies)[None, :10]


def test_without_probabilities_the_known_stand_higher_than_others():
    graph = from_ids(np.array([(i, 0, 20 + i) for i in range(20)]), n_entities=40)
    energy = MODELS["transe"].energy(dim=4)
    tables = energy.initialise(40, 1, np.random.default_rng(0))
    tables["entity"][20:] = tables["entity"][:20] + tables["relation"][0]
    model = FittedModel(energy, tables, graph)
    order = by_standing(model)
    near, far = order.plausibility(0, np.array([0]), np.array([[0.0, 5.0]]))[0]
    assert near > far
    still = {**tables, "entity": np.zeros_like(tables["entity"])}
    order = by_standing(FittedModel(energy, still, graph))
    assert np.isfinite(order.plausibility(0, np.array([0]), np.array([[0.0]]))).all()


def test_types_are_those_seen_or_those_of_places_alike():
    """Whoever works lives somewhere, but for 5; towns and firms are neither."""
    lives = [(i, 0, 20 + i % 3) for i in range(8)]
    works = [(i, 1, 30 + i % 2) for i in range(9)]
    graph = from_ids(np.array(lives + works), n_entities=33)
    assert Places(graph, "seen").fit(0, "head").tolist() == list(range(8))
    assert Places(graph, "alike").fit(0, "head").tolist() == list(range(9))
    assert Places(graph, "alike").fit(0, "tail").tolist() == [20, 21, 22]
    assert Places(graph, "any").fit(0, "tail").tolist() == [*range(9), 20, 21, 22, 30, 31]


def test_of_whom_nothing_was_learnt_nothing_is_found(atlas):
    graph = replace(atlas, train=atlas.train[:4], test=atlas.train[4:])
    unseen = set(np.flatnonzero(~graph.seen).tolist())
    for types in ("seen", "alike", "any"):
        for side in ("head", "tail"):
            assert unseen.isdisjoint(Places(graph, types).fit(1, side).tolist())


def test_a_search_can_be_watched_and_stopped(model):
    seen = []
    search = Search(model, BY_ENERGY, Rules(types="any"), range(R))
    whole = search.run(progress=lambda done, total: seen.append((done, total)))
    assert seen[0] == (0, search.pairs())
    assert seen[-1] == (whole.pairs, whole.pairs)
    some = search.run(stop=lambda: True)
    assert not some.complete
    assert 0 < some.pairs < whole.pairs
    assert {r for _, r, _ in ids_of(model, some)} == {0}


def test_time_is_estimated_and_nothing_takes_none(model):
    assert Search(model, BY_ENERGY, Rules(), range(R)).seconds() > 0
    nothing = Search(model, BY_ENERGY, Rules(), [])
    assert (nothing.pairs(), nothing.seconds(), len(nothing.run())) == (0, 0.0, 0)


def test_more_than_memory_holds_is_refused(model):
    with pytest.raises(TooLargeError, match="lower per_head"):
        Search(model, BY_ENERGY, Rules(per_head=10**15), range(R)).run()


@pytest.mark.parametrize("name", ["top", "per_head", "per_tail", "per_relation"])
@pytest.mark.parametrize("value", [0, -1, 1.5, "x"])
def test_rules_are_whole_numbers(name, value):
    with pytest.raises(ConfigError, match=f"{name} is a whole number of at least 1"):
        Rules(**{name: value})


def test_an_estimator_finds_by_name_and_probability(fitted):
    said = []
    found = fitted.discover(types="any", estimate=lambda *told: said.append(told))
    assert said[0][0] == found.pairs > 0
    best = found[0]
    assert all(one.probability >= other.probability for one, other in pairwise(found))
    assert best.standing is None
    assert (best.head, best.relation, best.tail) not in set(_labels(fitted.graph_))
    rows = fitted.predict_tails(best.head, best.relation, k=12)
    (mine,) = (row for row in rows if row.label == best.tail)
    assert mine.score == pytest.approx(best.score)
    assert mine.probability >= best.probability
    least = found[3].probability
    assert len(fitted.discover(types="any", min_probability=least)) >= 4
    assert all(f.probability >= least for f in fitted.discover(types="any", min_probability=least))
    only = fitted.discover(["borders"], types="any", top=3)
    assert {fact.relation for fact in only} == {"borders"}
    assert fitted.discover("borders", types="any", top=3).rows == only.rows
    assert "probability" in str(only)
    assert only.to_polars().columns[:4] == ["rank", "head", "relation", "tail"]


def _labels(graph):
    for h, r, t in graph.known.tolist():
        yield graph.entities.label(h), graph.relations.label(r), graph.entities.label(t)


def test_a_model_without_probabilities_tells_how_facts_stand(fitted):
    model = copy(fitted)
    model._learnt = replace(fitted.learnt_, probabilities=None)
    found = model.discover(top=5)
    assert [fact.probability for fact in found] == [None] * 5
    assert "standing" in str(found)
    with pytest.raises(ConfigError, match="no probabilities"):
        model.discover(min_probability=0.5)


def test_what_cannot_be_asked(fitted):
    with pytest.raises(ConfigError, match="from 0 to 1"):
        fitted.discover(min_probability=1.5)
    with pytest.raises(UnknownNameError, match="did you mean"):
        fitted.discover("bordrs")
    with pytest.raises(ConfigError, match="types is one of seen, alike, any"):
        fitted.discover(types="all")
