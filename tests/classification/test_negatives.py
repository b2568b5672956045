"""False triples that are made."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transa import Graph, Vocabulary, from_ids
from transa.classification import make_negatives, negatives
from transa.datasets import load
from transa.errors import ConfigError, InputError


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


@pytest.mark.parametrize("free", [0, 40])
def test_a_hub_is_searched_once(monkeypatch, free):
    """Of a star nothing false can be made; of one with free places, few: all others are searched.

    The rows that are looked at grow with the triples, not with their square.
    """
    n = 2000
    tails = np.arange(1, n + 1)
    zeros = np.zeros_like(tails)
    star = np.stack([zeros, zeros, tails], axis=1)
    # Another head leads to some more, which the hub does not lead to.
    other = np.stack([np.full(free, n + 1), np.zeros(free, int), n + 2 + np.arange(free)], axis=1)
    graph = from_ids(np.concatenate([star, other]), valid=star, n_entities=n + 100, n_relations=1)
    looked_at = []
    keys_of = negatives._Taken._keys_of
    monkeypatch.setattr(
        negatives._Taken,
        "_keys_of",
        lambda self, triples: (looked_at.append(len(triples)), keys_of(self, triples))[1],
    )
    made = make_negatives(graph, "valid")
    # Beside the free tails of the hub, the other head can have each of the hub's tails.
    assert len(made.of) == (n if free else 0)
    assert sum(looked_at) < (negatives._ROUNDS + 10) * n


def test_a_search_finds_what_is_first():
    """The tails before the heads, in the order of their ids, each once."""
    true = from_ids([(0, 0, 1), (0, 0, 2), (3, 0, 4), (3, 0, 5)], n_entities=6, n_relations=1)
    taken = negatives._Taken(true)
    pool = np.array([1, 2, 4, 5], dtype=np.int32)
    triple = np.array([0, 0, 1], dtype=np.int32)
    found = [taken.claim_first(triple, 2, pool) for _ in range(3)]
    assert [None if one is None else one.tolist() for one in found] == [[0, 0, 4], [0, 0, 5], None]
    # What one side has claimed is taken for the other.
    heads = np.array([0, 3], dtype=np.int32)
    assert taken.claim_first(np.array([3, 0, 4], dtype=np.int32), 0, heads) is None
