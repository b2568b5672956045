"""Questions that many answer: the counts are those of comparing, whatever the path."""

from __future__ import annotations

import numpy as np
import pytest

from transa import from_ids
from transa.models import FittedModel, TransEEnergy
from transa.models.distmult import DistMultEnergy
from transa.models.transh import TransHEnergy
from transa.ranking import crowds, rank


@pytest.mark.parametrize("crowd", [1, 2, 40])
@pytest.mark.parametrize(
    "energy",
    [TransEEnergy(3, "l1"), TransEEnergy(3, "l2"), TransHEnergy(3, "l1"), DistMultEnergy(4)],
    ids=str,
)
def test_counts_are_those_of_comparing(monkeypatch, energy, crowd):
    rng = np.random.default_rng(0)
    n = 60
    # Two hubs and others; half of the hubs' triples are asked for.
    hubs = np.stack([np.repeat([0, 1], n), np.zeros(2 * n, int), np.tile(np.arange(n), 2)], axis=1)
    others = rng.integers(0, (n, 2, n), size=(80, 3))
    triples = rng.permutation(np.concatenate([hubs, others]))
    graph = from_ids(triples[:100], test=triples[100:], n_entities=n, n_relations=2)
    drawn = energy.initialise(n, 2, rng)
    # Coarse, so that there are ties.
    vectors = {name: np.round(table * 2) / np.float32(2) for name, table in drawn.items()}
    model = FittedModel(energy, vectors, graph)
    compared = rank(model, graph.test, threads=1)
    monkeypatch.setattr(crowds, "CROWD", crowd)
    ordered = rank(model, graph.test, threads=1)
    for one, other in ((compared.raw, ordered.raw), (compared.filtered, ordered.filtered)):
        np.testing.assert_array_equal(one.better, other.better)
        np.testing.assert_array_equal(one.equal, other.equal)
    assert (compared.filtered.equal > 0).any()


def test_every_entity_is_an_answer_and_known():
    n = 30_000
    everyone = np.arange(n, dtype=np.int32)
    energies = np.random.default_rng(0).permutation(n).astype(np.float32)
    counts = crowds.count_in_order(energies, everyone, everyone)
    better, itself, none = energies, np.ones(n), np.zeros(n)
    np.testing.assert_array_equal(counts, np.stack([better, itself, better, none], axis=1))
