"""The spheres round an entity, against the margins of a whole graph."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transa import from_ids
from transa.margins import READINGS
from transa.margins.adaptive import adaptive_margins
from transa.margins.spheres import spheres_of
from transa.models import NORMS, FittedModel, TransEEnergy

ENTITIES, RELATIONS = 7, 3
triple = st.tuples(
    st.integers(0, ENTITIES - 1), st.integers(0, RELATIONS - 1), st.integers(0, ENTITIES - 1)
)


def vectors(seed):
    rng = np.random.default_rng(seed)
    drawn = rng.normal(size=(ENTITIES, 4)), rng.normal(size=(RELATIONS, 4))
    return tuple(table.astype(np.float32) for table in drawn)


def round_of(anchor, triples, entity, relation, norm, direction):
    """The spheres of a model of these vectors."""
    graph = from_ids(triples, n_entities=len(entity), n_relations=len(relation), split=None)
    tables = {"entity": entity, "relation": relation}
    model = FittedModel(TransEEnergy(entity.shape[1], norm), tables, graph)
    return spheres_of(model, anchor, direction)


@settings(deadline=None)
@given(
    st.lists(triple, min_size=1, max_size=25),
    st.integers(0, 99),
    st.sampled_from(NORMS),
    st.sampled_from(["pairs", "spheres"]),
    st.sampled_from([0.0, 0.3, 1.0]),
)
def test_margins_are_those_of_the_whole_graph(triples, seed, norm, reading, mu):
    entity, relation = vectors(seed)
    ids = np.array(triples, dtype=np.int32)
    whole = adaptive_margins(ids, entity, relation, mu=mu, norm=norm, reading=reading)
    for direction, margins, end in zip(("outgoing", "incoming"), whole, (0, 2), strict=True):
        for (h, r, t), margin in zip(triples, margins, strict=True):
            anchor = (h, r, t)[end]
            round_it = round_of(anchor, ids, entity, relation, norm, direction)
            (sphere,) = (s for s in round_it.relations if s.relation == r)
            assert round_it.m_opt(sphere, mu, reading) == pytest.approx(margin, rel=1e-4, abs=1e-5)


def test_active_is_what_many_draws_tend_to():
    entity, relation = vectors(1)
    triples = np.array([(0, 0, 1), (0, 1, 2), (0, 1, 3), (4, 0, 1)], dtype=np.int32)
    drawn, _ = adaptive_margins(
        triples, entity, relation, mu=1.0, reading="active", rounds=50_000, seed=0
    )
    exact = round_of(0, triples, entity, relation, "l1", "outgoing").m_ent("active")
    assert exact == pytest.approx(drawn[0], rel=0.02)


def test_the_two_spheres():
    entity = np.float32([[0.0], [1.0], [2.0], [5.0], [9.0]])
    relation = np.float32([[1.0], [-4.0]])
    triples = np.array([(0, 0, 1), (0, 0, 2), (0, 1, 3), (0, 1, 2)], dtype=np.int32)
    near, far = round_of(0, triples, entity, relation, "l1", "outgoing").relations
    # Entity 2 is a neighbour by both relations, hence a negative of neither.
    assert (near.positives.tolist(), near.negatives.tolist()) == ([1, 2], [3])
    assert (near.farthest_positive, near.nearest_negative) == (2.0, 5.0)
    assert (near.length, near.m_rel) == (1.0, 3.0)
    assert near.margins == {"pairs": 3.0, "spheres": 3.0, "active": (2 + 3 + 7) / 3}
    assert (far.positives.tolist(), far.negatives.tolist()) == ([2, 3], [1])
    assert far.margins["spheres"] == 4.0
    assert (far.length, far.m_rel) == (4.0, 0.0)


def test_an_entity_without_neighbours_has_no_spheres():
    entity, relation = vectors(0)
    around = round_of(6, np.array([(0, 0, 1)]), entity, relation, "l2", "incoming")
    assert around.relations == ()
    assert [around.m_ent(reading) for reading in READINGS] == [0.0, 0.0, 0.0]


def test_a_single_relation_has_no_negatives():
    entity, relation = vectors(0)
    (sphere,) = round_of(0, np.array([(0, 0, 1)]), entity, relation, "l2", "outgoing").relations
    assert sphere.nearest_negative is None
    assert sphere.margins["pairs"] == sphere.margins["spheres"] == sphere.m_rel == 0.0
    assert sphere.margins["active"] > 0
