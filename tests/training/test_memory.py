"""A run that would not fit is refused before it takes anything."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

import transa
from transa.errors import ConfigError, StoreError, TooLargeError
from transa.files import memory
from transa.models import MODELS
from transa.training.memory import allocations_told, check_room


@pytest.mark.parametrize("model", MODELS)
def test_every_model_says_what_it_would_need(model, atlas, monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 24 * 10**6)
    tracemalloc.start()
    with pytest.raises(TooLargeError, match=r"would need .* GB of memory, and 0\.0 are free"):
        transa.Estimator(model, dim=200_000).fit(atlas)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # A row of TransR's matrices, to see how large it is.
    assert most < 10**8


def needed(monkeypatch, graph, model="transe", **options):
    """What is reckoned, in bytes."""
    told = []
    monkeypatch.setattr(
        "transa.training.memory.check_memory", lambda bytes_, *_: told.append(bytes_)
    )
    settings = transa.Estimator(model, **options).settings
    check_room(settings.energy, settings.recipe, graph)
    return told[0]


def test_what_is_kept_beside_the_tables_is_counted(monkeypatch, atlas):
    rows = (atlas.n_entities + atlas.n_relations) * 4000 * 4
    plain = {"dim": 4000, "average": False, "validate_every": 0, "optimiser": "sgd"}
    drawn = rows + atlas.n_entities * 4000 * 8
    assert needed(monkeypatch, atlas, **plain) == drawn
    triples = 60 * len(atlas.train)
    adam = plain | {"optimiser": "adam"}
    assert needed(monkeypatch, atlas, **adam) == 3 * rows + triples
    assert needed(monkeypatch, atlas, **adam | {"average": True}) == 4 * rows + triples
    looking = adam | {"average": True, "validate_every": 5}
    assert needed(monkeypatch, atlas, **looking) == 5 * rows + triples


def test_negatives_count_where_a_step_keeps_them(monkeypatch, atlas):
    many = {"dim": 4, "negatives": 10**7}
    n = len(atlas.train)
    assert needed(monkeypatch, atlas, engine="autograd", **many) > n * 10**7 * 4 * 4
    assert needed(monkeypatch, atlas, engine="fused", **many) < 10**4
    # Of a whole batch, and not more than there are entities.
    assert needed(monkeypatch, atlas, "distmult", loss="softmax", **many) < 10**5


@pytest.mark.parametrize("engine", ["fused", "autograd"])
def test_more_corruptions_than_there_can_be_are_refused(atlas, engine):
    options = {"loss": "logistic", "engine": engine, "negatives": 10_001}
    make = transa.TransE(dim=4, epochs=1, **options)
    with pytest.raises(ConfigError, match=r"negatives=10,001: .* at most 10,000 are drawn"):
        make.fit(atlas)
    # With a softmax they are drawn for a whole batch, and no more than there are.
    transa.Estimator("distmult", loss="softmax", dim=4, epochs=1, negatives=10**7).fit(atlas)


@pytest.mark.parametrize("value", ["", None, 3, b"x", "a\0b", "a" * 10_000, "a\ud800", []])
def test_places_that_cannot_be(fitted, value):
    entrances = (
        transa.load,
        fitted.save,
        fitted.export,
        lambda path: transa.TransE(epochs=1).fit(fitted.graph_, checkpoint=path or ""),
    )
    for entrance in entrances:
        with pytest.raises(transa.TransaError) as caught:
            entrance(value)
        assert len(str(caught.value)) < 500


@pytest.mark.parametrize("value", [None, 3, "fr", [[1]], [{}]])
def test_labels_that_are_none(fitted, value):
    for entrance in (fitted.graph_.entities.ids, fitted.graph_.entities.find):
        with pytest.raises(transa.TransaError, match="label"):
            entrance(value)


def test_more_answers_than_there_are_is_all_of_them(fitted):
    found = fitted.predict_tails("fr", "borders", k=10**9, known=True)
    assert len(found) == fitted.graph_.n_entities - 1
    with pytest.raises(transa.TransaError, match="a label is a string, found None"):
        fitted.predict_tails(None, "borders")


def test_memory_that_runs_out_in_a_step_is_told():
    import torch

    with pytest.raises(TooLargeError, match="fewer dimensions"), allocations_told():
        torch.empty(1 << 60)
    with pytest.raises(RuntimeError, match="shape"), allocations_told():
        torch.ones(2) @ torch.ones(3, 2)


@pytest.mark.parametrize("value", [3, "active", False, transa.Fixed(1.0)])
def test_margins_that_are_not_adaptive(fitted, value):
    with pytest.raises(ConfigError, match=r"computed from a transa\.Adaptive, found"):
        fitted.margins(value)


def test_a_log_that_cannot_be_written(atlas, tmp_path):
    (tmp_path / "file").touch()
    for place, reason in ((tmp_path, "directory"), (tmp_path / "file" / "log", "directory|exists")):
        with pytest.raises(StoreError, match=f"cannot be written.*(?i:{reason})"):
            transa.TransE(dim=4, epochs=1).fit(atlas, log=place)
    if Path("/dev/full").exists():
        with pytest.raises(StoreError, match="cannot be written"):
            transa.TransE(dim=4, epochs=1).fit(atlas, log="/dev/full")


def test_what_is_evaluated_is_a_model(atlas):
    with pytest.raises(ConfigError, match="evaluate takes a fitted model"):
        transa.evaluate(None, atlas)
