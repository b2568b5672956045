"""Tables have the figures in them."""

from __future__ import annotations

import pytest

from transa.models import FittedModel, TransEEnergy
from transa.ranking import evaluate, link_prediction_table, relation_table
from transa.tables import as_text


@pytest.fixture
def result(graph, parameters):
    return evaluate(FittedModel(TransEEnergy(dim=8), parameters, graph))


def cells(metrics):
    shares = (metrics.mrr, metrics.hits_at_1, metrics.hits_at_3, metrics.hits_at_10)
    return [f"{metrics.count:,}", f"{metrics.mr:,.1f}", *(f"{share:.3f}" for share in shares)]


def row(table, name):
    """The cells after a name, which is the first thing on its line."""
    lines = [line.strip() for line in as_text(table).splitlines()]
    (line,) = [line for line in lines if line.startswith(name + "  ")]
    return line.removeprefix(name).split()


def test_overall_by_side_and_by_category(result):
    table = link_prediction_table(result)
    assert row(table, "filtered") == cells(result.filtered)
    assert row(table, "raw") == cells(result.raw)
    assert row(table, "heads (?, r, t)") == cells(result.overall.head.filtered)
    assert row(table, "tails (h, r, ?)") == cells(result.overall.tail.filtered)
    assert row(table, "N-N") == cells(result.by_category["N-N"].both.filtered)
    assert "random, test split, realistic ties" in as_text(table)


def test_relations_by_frequency_with_labels_as_they_are(result):
    table = relation_table(result)
    assert row(table, "knows[well]") == cells(result.by_relation["knows[well]"].both.filtered)
    counts = [sides.both.filtered.count for sides in result.by_relation.values()]
    most = max(result.by_relation, key=lambda label: result.by_relation[label].both.filtered.count)
    only = relation_table(result, limit=1)
    assert row(only, most)[0] == str(max(counts))
    assert len(as_text(table).splitlines()) - len(as_text(only).splitlines()) == 3
