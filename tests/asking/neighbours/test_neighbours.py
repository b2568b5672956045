"""Indices against a look at every vector, and links that lead astray."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np
import pytest

from transa import from_ids
from transa.asking.answers import answers, similar_entities
from transa.asking.neighbours import answering
from transa.asking.neighbours.answering import index_of, similar_by_index, tails_by_index
from transa.asking.neighbours.index import build_index, restore_index
from transa.asking.neighbours.links import Links
from transa.errors import NotFittedError, StoreError
from transa.estimator import answering as estimator_answering
from transa.models import MODELS, FittedModel

N, DIM = 2000, 8


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    """In heaps, as vectors that were learnt lie."""
    rng = np.random.default_rng(0)
    heaps = rng.normal(size=(40, DIM))
    return (heaps[rng.integers(0, 40, N)] + 0.3 * rng.normal(size=(N, DIM))).astype(np.float32)


def exact(vectors, points, metric, k):
    apart = vectors[None] - points[:, None]
    far = {
        "l1": lambda: abs(apart).sum(-1),
        "l2": lambda: (apart**2).sum(-1),
        "product": lambda: -(points @ vectors.T),
    }[metric]()
    return np.argsort(far, axis=1, kind="stable")[:, :k]


@pytest.mark.parametrize("metric", ["l1", "l2", "product"])
def test_an_index_finds_the_nearest_and_comes_back_as_it_was(vectors, metric):
    index = build_index(vectors, metric)
    found = index.nearest(vectors[:100], 10)
    wanted = exact(vectors, vectors[:100], metric, 10)
    hits = [len(set(one) & set(other)) for one, other in zip(found, wanted, strict=True)]
    assert np.mean(hits) / 10 >= 0.99
    again = restore_index(vectors, metric, index.links)
    assert (again.nearest(vectors[:100], 10) == found).all()
    assert len(again) == N


def test_few_vectors_have_few_neighbours(vectors):
    index = build_index(vectors[:3], "l1")
    assert sorted(index.nearest(vectors[:1], 5)[0].tolist()) == [-1, -1, 0, 1, 2]


def broken(links: Links, what: str) -> Links:
    floors, others = links.floors.copy(), links.others.copy()
    tall = int(np.flatnonzero(floors > 1)[0])
    begin = int(links.ends[tall]) + 2 * links.width
    low = int(np.flatnonzero(floors == 1)[0])
    others[begin] = low
    changes = {
        "32-bit": {"others": links.others.astype(np.int64)},
        "entities": {"floors": floors[:-1]},
        "2 to 256 links": {"width": 1},
        "floors": {"floors": np.where(np.arange(len(floors)) == 5, 99, floors).astype(np.int32)},
        "entry": {"entry": low},
        "should have": {"others": links.others[:-1]},
        "lead nowhere": {"others": np.full_like(links.others, len(floors))},
        "a floor that is not there": {"others": others},
    }
    return replace(links, **changes[what])


@pytest.mark.parametrize(
    "what",
    ["32-bit", "entities", "2 to 256 links", "floors", "entry", "should have", "lead nowhere",
     "a floor that is not there"],
)  # fmt: skip
def test_links_that_lead_astray_are_refused_before_they_are_followed(vectors, what):
    links = build_index(vectors, "l2").links
    links.check(N)
    with pytest.raises(StoreError, match=what):
        restore_index(vectors, "l2", broken(links, what))


def model_of(name, vectors, **options) -> FittedModel:
    rng = np.random.default_rng(0)
    energy = MODELS[name].energy(dim=DIM // 2 if name == "complex" else DIM, **options)
    tables = energy.initialise(N, 3, rng)
    tables["entity"] = vectors[:, : tables["entity"].shape[1]].copy()
    return FittedModel(
        energy, tables, from_ids(rng.integers(0, (N, 3, N), (9000, 3)), n_entities=N)
    )


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("transe", {"norm": "l1"}),
        ("transe", {"norm": "l2"}),
        ("transe", {"norm": "l2sq"}),
        ("distmult", {}),
        ("complex", {}),
        ("complex", {"reciprocal": True}),
    ],
)
@pytest.mark.parametrize("known", [False, True])
def test_tails_are_those_of_a_look_at_all(vectors, name, options, known):
    model = model_of(name, vectors, **options)
    index = index_of(model)
    same = 0
    for head, relation, _ in model.graph.train[:40].tolist():
        found = tails_by_index(model, index, head, relation, 5, known)
        wanted = answers(model, (head, relation, None), 5, known)
        assert found.question == wanted.question
        labels = [row.label for row in wanted]
        same += len({row.label for row in found} & set(labels))
        assert [row.score for row in found] == sorted((row.score for row in found), reverse=True)
        assert all(row.known is None for row in found) or known
    assert same >= 0.99 * 5 * 40


def test_the_like_are_those_of_a_look_at_all(vectors):
    model = model_of("transe", vectors, norm="l1")
    index = index_of(model)
    for entity in range(20):
        found = similar_by_index(model, index, entity, 10)
        wanted = similar_entities(model, entity, 10)
        assert [row.label for row in found] == [row.label for row in wanted]
        assert [row.score for row in found] == pytest.approx([row.score for row in wanted])
        assert found.question == wanted.question


def test_what_an_index_cannot_tell_is_left_to_a_look_at_all(vectors, monkeypatch):
    products = model_of("distmult", vectors)
    assert similar_by_index(products, index_of(products), 0, 10) is None
    by_plane = model_of("transh", vectors)
    assert tails_by_index(by_plane, index_of(by_plane), 0, 0, 10, False) is None
    points = model_of("transe", vectors)
    index = index_of(points)
    monkeypatch.setattr(answering, "_MOST", 8)
    assert similar_by_index(points, index, 0, 8) is None
    assert tails_by_index(points, index, 0, 0, 8, False) is None


def test_an_estimator_uses_its_index_when_told_or_when_large(fitted, monkeypatch):
    model = copy(fitted)
    with pytest.raises(NotFittedError, match="build_index"):
        model.similar("France", exact=False)
    model.build_index()
    assert fitted.learnt_.neighbours is None
    asked = []
    monkeypatch.setattr(answering, "_candidates", _watched(answering._candidates, asked))
    wanted = fitted.similar("France", 3), fitted.predict_tails("France", "borders", 3)
    for exact_, limit, uses in ((True, 1, 0), (None, 10**6, 0), (None, 1, 2), (False, 10**6, 2)):
        monkeypatch.setattr(estimator_answering, "LARGE", limit)
        asked.clear()
        found = (
            model.similar("France", 3, exact=exact_),
            model.predict_tails("France", "borders", 3, exact=exact_),
        )
        assert len(asked) == uses
        for one, other in zip(found, wanted, strict=True):
            assert [row.label for row in one] == [row.label for row in other]
            assert [row.probability for row in one] == pytest.approx(
                [row.probability for row in other]
            )


def _watched(function, calls):
    def watched(*given):
        calls.append(given)
        return function(*given)

    return watched


def test_new_entities_leave_the_index_behind(fitted):
    model = copy(fitted).build_index()
    assert model.fold_in([("xa", "borders", "fr")]).learnt_.neighbours is None


def test_a_model_without_similar_ones_falls_back(fitted, monkeypatch):
    model = copy(fitted).build_index()
    monkeypatch.setattr(answering, "_MOST", 1)
    wanted = [row.label for row in fitted.similar("France", 3)]
    assert [row.label for row in model.similar("France", 3, exact=False)] == wanted
    tails = [row.label for row in fitted.predict_tails("France", "borders", 3)]
    assert [row.label for row in model.predict_tails("France", "borders", 3, exact=False)] == tails
