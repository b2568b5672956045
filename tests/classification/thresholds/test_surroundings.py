"""What is known round a triple, and thresholds that heed it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import transa
from transa import Graph, TransA, Vocabulary
from transa.classification import LabelledTriples
from transa.classification.judge import Judge
from transa.classification.thresholds.surroundings import Surroundings
from transa.models import FittedModel, TransEEnergy

N, M = 5, 3
ENERGY = TransEEnergy(dim=4)

triples_ = st.lists(
    st.tuples(st.integers(0, N - 1), st.integers(0, M - 1), st.integers(0, N - 1)),
    min_size=1,
    max_size=30,
).map(lambda rows: np.array(rows, dtype=np.int32))


@settings(max_examples=60, deadline=None)
@given(triples_, triples_, st.integers(0, 100))
def test_spheres_are_those_of_the_definition(train, asked, seed):
    parameters = ENERGY.initialise(N, M, np.random.default_rng(seed))
    entities = Vocabulary("entity", [f"e{i}" for i in range(N)])
    graph = Graph(train, entities, Vocabulary("relation", [f"r{i}" for i in range(M)]))
    model = FittedModel(ENERGY, parameters, graph)
    f = model.energies(*train.T).astype(float)
    found = Surroundings.of(model)
    for (h, r, t), around in zip(asked.tolist(), found.around(asked), strict=True):
        of_relation = train[:, 1] == r
        mean = f[of_relation].mean() if of_relation.any() else f.mean()
        assert found.means[r] == pytest.approx(mean)
        wanted = []
        for inside in (of_relation & (train[:, 0] == h), of_relation & (train[:, 2] == t)):
            radius = f[inside].mean() - mean if inside.any() else 0
            wanted += [np.log1p(inside.sum()), radius]
        assert around == pytest.approx(np.array(wanted), abs=1e-5)


@pytest.fixture(scope="module")
def countries():
    return TransA(dim=30, epochs=40, threads=1, validate_every=0).fit("countries")


def test_local_thresholds_heed_what_the_energy_does_not():
    """Ten jobs have fifty people each and are true, ninety have one; vectors tell little of it."""
    rng = np.random.default_rng(0)
    job = np.concatenate([np.arange(500) % 10, np.arange(10, 100)])
    n = len(job)
    train = np.stack([np.arange(n), np.zeros(n, int), n + job], axis=1)
    labels = [*(f"person {i}" for i in range(n)), *(f"job {i}" for i in range(100))]
    graph = Graph(train, Vocabulary("entity", labels), Vocabulary("relation", ["does"]))
    vectors = np.concatenate([rng.normal(size=n), np.where(np.arange(100) < 10, 0.0, 0.3)])
    tables = {
        "entity": vectors[:, None].astype(np.float32),
        "relation": np.zeros((1, 1), np.float32),
    }
    rows = [
        (labels[i], "does", labels[n + j], j < 10)
        for i in range(n)
        for j in (rng.integers(0, 10), rng.integers(10, 100))
    ]
    valid, test = (LabelledTriples.of(graph, part) for part in (rows[:n], rows[n:]))
    judge = Judge(FittedModel(TransEEnergy(dim=1), tables, graph), "none")
    strict, local = (
        judge.test(judge.fit(valid, thresholds=kind), "test", test, 0)
        for kind in ("relation", "local")
    )
    assert (strict.thresholds, local.thresholds) == ("relation", "local")
    assert strict.accuracy < 0.7
    assert local.accuracy > 0.95


def test_a_verdict_tells_how_far_its_threshold_moved(countries, tmp_path):
    countries.fit_thresholds(thresholds="local")
    rows = [("France", "currency", "Euro"), ("Peru", "borders", "France"), ("x", "borders", "Peru")]
    euro, france, unknown = countries.classify(rows)
    for row in (euro, france):
        assert row.verdict == (row.energy < row.threshold)
        assert "for what is known of its entities" in row.reason
    of_relation = countries.classifier_.thresholds.values
    assert euro.threshold != of_relation[countries.graph_.relations.id("currency")]
    assert unknown.verdict is None
    countries.save(tmp_path / "kept")
    assert transa.load(tmp_path / "kept").classify(rows) == countries.classify(rows)


def test_entities_without_training_triples_have_empty_spheres(countries):
    countries.fit_thresholds(thresholds="local", unseen="words")
    (told,) = countries.classify([("Frances", "borders", "Spain")])
    assert told.verdict is not None
