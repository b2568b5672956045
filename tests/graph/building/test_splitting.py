from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from transa.graph.building.splitting import Fractions, Split, split_triples

N_ENTITIES, N_RELATIONS = 12, 4

TRIPLES = st.integers(1, 60).flatmap(
    lambda n: st.tuples(
        hnp.arrays(np.int32, n, elements=st.integers(0, N_ENTITIES - 1)),
        hnp.arrays(np.int32, n, elements=st.integers(0, N_RELATIONS - 1)),
        hnp.arrays(np.int32, n, elements=st.integers(0, N_ENTITIES - 1)),
    ).map(lambda columns: np.stack(columns, axis=1))
)
FRACTIONS = st.tuples(st.floats(0.05, 1), st.floats(0, 1), st.floats(0, 1)).map(
    lambda shares: Fractions(*(share / sum(shares) for share in shares))
)
SEEDS = st.integers(0, 2**32)
USUAL = Fractions(0.8, 0.1, 0.1)


def split_of(triples: np.ndarray, fractions: Fractions = USUAL, seed: int = 0) -> Split:
    return split_triples(triples, N_ENTITIES, N_RELATIONS, fractions, seed)


def rows(triples: np.ndarray) -> list[tuple[int, ...]]:
    return [tuple(row) for row in triples.tolist()]


def parts_of(triples: list[tuple[int, int, int]]) -> set[tuple[str, int]]:
    """The entities and relations that occur."""
    entities = {("entity", entity) for head, _, tail in triples for entity in (head, tail)}
    return entities | {("relation", relation) for _, relation, _ in triples}


@given(TRIPLES, FRACTIONS, SEEDS)
def test_nothing_is_lost_and_nothing_added(triples, fractions, seed):
    split = split_of(triples, fractions, seed)
    together = rows(split.train) + rows(split.valid) + rows(split.test)
    assert sorted(together) == sorted(rows(triples))


@given(TRIPLES, FRACTIONS, SEEDS)
def test_what_valid_and_test_have_train_has(triples, fractions, seed):
    split = split_of(triples, fractions, seed)
    assert parts_of(rows(split.train)) == parts_of(rows(triples))


@given(TRIPLES, FRACTIONS, SEEDS)
def test_copies_stay_together(triples, fractions, seed):
    split = split_of(triples, fractions, seed)
    train, valid, test = (set(rows(part)) for part in (split.train, split.valid, split.test))
    assert train.isdisjoint(valid | test)
    assert valid.isdisjoint(test)


@given(TRIPLES, FRACTIONS, SEEDS)
def test_the_fractions_are_kept_unless_train_can_spare_no_more(triples, fractions, seed):
    split = split_of(triples, fractions, seed)
    distinct = len(set(rows(triples)))
    train = set(rows(split.train))
    held_out = distinct - len(train)
    assert held_out == round(distinct * fractions.held_out) - split.short_by
    assert split.short_by >= 0
    if split.short_by:
        for triple in train:
            assert parts_of(list(train - {triple})) < parts_of(list(train))


@given(TRIPLES, FRACTIONS, SEEDS)
def test_valid_and_test_share_in_proportion(triples, fractions, seed):
    split = split_of(np.unique(triples, axis=0), fractions, seed)
    held_out = len(split.valid) + len(split.test)
    if held_out:
        assert abs(len(split.valid) - held_out * fractions.valid / fractions.held_out) <= 0.5


def test_a_dense_graph_gets_the_fractions_asked_for():
    heads, relations, tails = (grid.ravel() for grid in np.mgrid[:10, :4, :10])
    split = split_of(np.stack([heads, relations, tails], axis=1).astype(np.int32))
    assert [len(part) for part in (split.train, split.valid, split.test)] == [320, 40, 40]
    assert split.short_by == 0


def test_the_seed_decides():
    triples = np.random.default_rng(0).integers(0, N_RELATIONS, (60, 3)).astype(np.int32)
    once, again, other = split_of(triples, seed=1), split_of(triples, seed=1), split_of(triples)
    assert rows(once.test) == rows(again.test)
    assert rows(once.test) != rows(other.test)


@pytest.mark.parametrize("n", [1, 5])
def test_a_chain_of_lone_triples_stays_whole(n):
    triples = np.array([[2 * i, 0, 2 * i + 1] for i in range(n)], dtype=np.int32)
    split = split_of(triples, Fractions(0.5, 0.5, 0.0))
    assert len(split.train) == n
    assert split.short_by == round(n * 0.5)


def test_each_triple_is_as_likely_to_be_held_out():
    heads, relations, tails = (grid.ravel() for grid in np.mgrid[:4, :2, :4])
    triples = np.stack([heads, relations, tails], axis=1).astype(np.int32)
    drawn = np.zeros((4, 2, 4))
    for seed in range(500):
        split = split_of(triples, seed=seed)
        np.add.at(drawn, tuple(np.concatenate([split.valid, split.test]).T), 1)
    # 6 of 32 are held out each time: 94 expected, standard deviation below 9.
    assert drawn.min() > 50
    assert drawn.max() < 140
