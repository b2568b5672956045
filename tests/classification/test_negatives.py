"""False triples that are made."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transa.classification import make_negatives
from transa.datasets import load
from transa.errors import ConfigError, InputError
from transa.graph import Graph, Vocabulary, from_ids


@st.composite
def graphs(draw):
    """Small and dense, so that some triples have no false neighbour."""
    n_entities, n_relations = draw(st.integers(1, 6)), draw(st.integers(1, 3))
    ids = st.tuples(
        st.integers(0, n_entities - 1),
        st.integers(0, n_relations - 1),
        st.integers(0, n_entities - 1),
    )
    triples = draw(st.lists(ids, min_size=2, max_size=40))
    cut = draw(st.integers(1, len(triples) - 1))
    return from_ids(
        triples[:cut], valid=triples[cut:], n_entities=n_entities, n_relations=n_relations
    )


def corruptions(graph: Graph, triple: tuple[int, int, int]) -> set[tuple[int, int, int]]:
    """All that may be made of a triple, from the definition."""
    h, r, t = triple
    known = {tuple(row) for row in graph.known.tolist()}
    heads = {x for x, relation, _ in known if relation == r}
    tails = {x for _, relation, x in known if relation == r}
    return ({(x, r, t) for x in heads} | {(h, r, x) for x in tails}) - known


@given(graphs(), st.integers(0, 3))
def test_what_is_made_is_legal_and_all_that_can_be_is(graph, seed):
    made = make_negatives(graph, "valid", seed)
    pairs = dict(zip(made.of.tolist(), map(tuple, made.triples.tolist()), strict=True))
    for row, triple in enumerate(graph.valid.tolist()):
        legal = corruptions(graph, tuple(triple))
        if row in pairs:
            assert pairs[row] in legal
        else:
            assert legal <= set(pairs.values())
    assert len(set(pairs.values())) == len(pairs)
    assert (np.diff(made.of) > 0).all()


def test_both_positions_are_corrupted_alike():
    graph = load("countries")
    made = make_negatives(graph, "train")
    true = graph.train[made.of]
    tails = (made.triples[:, 0] == true[:, 0]).mean()
    assert 0.4 < tails < 0.6
    assert ((made.triples == true).sum(axis=1) == 2).all()


def digest(made):
    return hashlib.sha256(made.triples.astype("<i4")).hexdigest()[:16]


def test_everybody_gets_the_same():
    graph = load("countries")
    assert digest(make_negatives(graph, "valid")) == "3d3fbc473f945f0e"
    assert digest(make_negatives(graph, "test")) == "d0231e4c80e312fe"
    assert digest(make_negatives(graph, "valid", seed=1)) != "3d3fbc473f945f0e"


def test_fb15k(datasets, monkeypatch):
    monkeypatch.setenv("TRANSA_DATA", str(datasets))
    graph = load("fb15k")
    made = make_negatives(graph, "test")
    # The others belong to relations all of whose pairs are true.
    assert len(made.of) == 57_863
    assert digest(made) == "462a9e64ce2d7681"


def test_bad_arguments_are_refused():
    graph = load("countries")
    with pytest.raises(ConfigError, match="seed is not negative"):
        make_negatives(graph, "valid", -1)
    with pytest.raises(InputError, match="no split 'tests'"):
        make_negatives(graph, "tests")


def test_a_graph_whose_triples_cannot_be_numbered_is_refused():
    class Vast(Vocabulary):
        def __len__(self):
            return 1 << 31

    graph = from_ids([(0, 0, 1)])
    object.__setattr__(graph, "entities", Vast("entity", ["a", "b"]))
    object.__setattr__(graph, "relations", Vast("relation", ["r"]))
    with pytest.raises(InputError, match="too large to make false triples for"):
        make_negatives(graph, "train")
