"""A prepared graph, asked."""

from __future__ import annotations

import numpy as np
import pytest

from transa.errors import InputError, UnknownNameError
from transa.graph import Graph, Vocabulary
from transa.models import FittedModel, TransEEnergy
from transa.ranking import evaluate, rank
from transa.ranking.categories import relation_categories


@pytest.fixture(scope="module")
def whole(prepared) -> Graph:
    """The same in memory, with the same ids."""
    entities = Vocabulary("entity", prepared.entities.labels)
    splits = {"valid": prepared.valid, "test": prepared.test}
    return Graph(prepared.train, entities, prepared.relations, name=prepared.name, **splits)


@pytest.fixture(scope="module")
def models(prepared, whole):
    energy, rng = TransEEnergy(dim=6), np.random.default_rng(0)
    # Rounded, so that there are ties.
    tables = energy.initialise(prepared.n_entities, prepared.n_relations, rng)
    tables = {name: np.round(table * 2) / 2 for name, table in tables.items()}
    return [FittedModel(energy, tables, graph) for graph in (prepared, whole)]


def test_ranks_are_those_of_the_graph_in_memory(models):
    on_disk, in_memory = (rank(model, model.graph.test, threads=1) for model in models)
    for kind in ("raw", "filtered"):
        for count in ("better", "equal"):
            found = [getattr(getattr(ranks, kind), count) for ranks in (on_disk, in_memory)]
            np.testing.assert_array_equal(*found)
    for split in ("valid", "train"):
        found = [evaluate(model, split, threads=1).to_dict() for model in models]
        assert found[0] == found[1]


def test_known_answers_are_those_of_the_graph_in_memory(prepared, whole):
    assert repr(prepared) == repr(whole)
    np.testing.assert_array_equal(prepared.seen, whole.seen)
    np.testing.assert_array_equal(prepared.index.has_loops, whole.index.has_loops)
    assert relation_categories(prepared.index) == relation_categories(whole.index)
    for h, r, t in np.concatenate([whole.train[:40], whole.valid, whole.test]).tolist():
        for question in ((h, r, None), (None, r, t), (h, None, t)):
            assert prepared.index.answers_to(question) == whole.index.answers_to(question)
    for side in ("heads", "tails"):
        answers = [getattr(graph.index, side) for graph in (prepared, whole)]
        np.testing.assert_array_equal(answers[0].keys, answers[1].keys)


def test_labels_are_looked_up_on_disk(prepared):
    entities = prepared.entities
    labels = entities.labels.to_list()
    for id_, label in list(enumerate(labels))[::9]:
        assert entities.id(label) == id_
        assert entities.label(id_) == entities.display(id_) == label
    assert labels[3] in entities
    assert "nobody" not in entities
    assert entities.names is None
    assert entities.find([labels[2], "nobody"]).tolist() == [2, -1]
    assert entities.ids(labels[4:6]).tolist() == [4, 5]


def test_unknown_labels_are_refused_with_a_hint(prepared):
    with pytest.raises(UnknownNameError, match="did you mean 'e 1'"):
        prepared.entities.id("E 1")
    with pytest.raises(UnknownNameError, match="for example"):
        prepared.entities.id("nobody")
    with pytest.raises(InputError, match="string"):
        prepared.entities.id(3)
    with pytest.raises(InputError, match="no entity has the id"):
        prepared.entities.label(10**6)
