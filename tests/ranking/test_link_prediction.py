"""Link prediction: the breakdowns are those of the ranks they are made of."""

from __future__ import annotations

import json

import numpy as np
import pytest

from transa.errors import ConfigError, InputError
from transa.graph import Graph
from transa.models import FittedModel, TransEEnergy
from transa.ranking import Metrics, evaluate, rank
from transa.ranking.categories import relation_categories

ENERGY = TransEEnergy(dim=8)


@pytest.fixture
def result(graph, parameters):
    return evaluate(FittedModel(ENERGY, parameters, graph))


@pytest.fixture
def ranks(graph, parameters):
    return rank(FittedModel(ENERGY, parameters, graph), graph.test)


def assert_sides(sides, ranks, rows):
    for kind in ("filtered", "raw"):
        chosen = getattr(ranks, kind).ranks()[rows]
        assert getattr(sides.both, kind) == Metrics.of(chosen)
        assert getattr(sides.head, kind) == Metrics.of(chosen[:, 0])
        assert getattr(sides.tail, kind) == Metrics.of(chosen[:, 1])


def test_overall(result, ranks):
    assert_sides(result.overall, ranks, slice(None))
    assert result.filtered == result.overall.both.filtered
    assert result.raw == result.overall.both.raw
    assert result.filtered.mr < result.raw.mr


def test_by_relation(result, ranks, graph):
    assert list(result.by_relation) == ["likes", "knows[well]", "is in", "has"]
    for label, sides in result.by_relation.items():
        assert_sides(sides, ranks, graph.test[:, 1] == graph.relations.id(label))


def test_by_category(graph, parameters):
    """Relation 0 is thinned out to one tail a head and one head a tail; the others are N-N."""
    chain = np.array([[h, 0, h + 1] for h in range(29)], dtype=np.int32)
    train, test = (
        np.concatenate([triples[triples[:, 1] != 0], part])
        for triples, part in ((graph.train, chain[:24]), (graph.test, chain[24:]))
    )
    mixed = Graph(train, graph.entities, graph.relations, test=test)
    result = evaluate(FittedModel(ENERGY, parameters, mixed))
    ranks = rank(FittedModel(ENERGY, parameters, mixed), mixed.test)
    assert relation_categories(mixed.index) == ["1-1", "N-N", "N-N", "N-N"]
    assert list(result.by_category) == ["1-1", "N-N"]
    assert_sides(result.by_category["1-1"], ranks, test[:, 1] == 0)
    assert_sides(result.by_category["N-N"], ranks, test[:, 1] != 0)


def test_json(result, graph):
    content = json.loads(json.dumps(result.to_dict()))["link_prediction"]
    assert content["split"] == "test"
    assert content["filtered"] == result.filtered.to_dict()
    assert content["raw"] == result.raw.to_dict()
    assert content["by_side"]["head"]["raw"] == result.overall.head.raw.to_dict()
    likes = content["by_relation"]["likes"]
    assert likes["by_side"]["tail"]["filtered"]["count"] == np.sum(graph.test[:, 1] == 0)
    assert set(content["by_category"]) == {"N-N"}


def test_the_split_and_the_rule_for_ties_are_the_callers(graph, parameters):
    zeros = {name: np.zeros_like(table) for name, table in parameters.items()}
    result = evaluate(FittedModel(ENERGY, zeros, graph), "valid", ties="optimistic")
    assert result.filtered.count == 2 * len(graph.valid)
    assert result.raw.mr == 1
    assert (result.split, result.ties) == ("valid", "optimistic")


def test_an_empty_split_is_refused(graph, parameters):
    train_only = Graph(graph.train, graph.entities, graph.relations, name="small")
    with pytest.raises(InputError, match="'small' has no test triples"):
        evaluate(FittedModel(ENERGY, parameters, train_only))


def test_progress_is_told(graph, parameters):
    told = []
    evaluate(FittedModel(ENERGY, parameters, graph), progress=lambda *done: told.append(done))
    assert told[-1] == (2 * len(graph.test), 2 * len(graph.test))


def test_it_prints_as_a_table_and_shows_as_a_line(result):
    assert "Hits@10" in str(result)
    assert f"{result.filtered.mr:,.1f}" in str(result)
    assert repr(result).startswith("LinkPrediction('random', 'test': filtered Metrics(count=")
    assert "\n" not in repr(result)


def test_what_version_0_1_was_asked_is_still_answered(result, graph, parameters):
    for asked in ((), ("test",)):
        with pytest.warns(DeprecationWarning, match="evaluate\\(FittedModel"):
            assert evaluate(ENERGY, parameters, graph, *asked) == result
    with pytest.warns(DeprecationWarning, match="is now"):
        assert evaluate(ENERGY, parameters, graph, split="valid").split == "valid"


def test_what_is_no_model_is_refused(graph, parameters):
    model = FittedModel(ENERGY, parameters, graph)
    for asked in ((ENERGY,), (ENERGY, parameters), (model, graph), (model, "test", "valid")):
        with pytest.raises(ConfigError, match="a fitted model and the name of a split"):
            evaluate(*asked)
