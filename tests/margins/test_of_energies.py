"""The margin of any model, against its definition in plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from transa import Estimator, TransA
from transa.errors import ConfigError
from transa.margins import Adaptive, adaptive_margins
from transa.margins.margin_graph import MarginGraph
from transa.margins.of_energies import energy_margins
from transa.models import MODELS
from transa.models.complex import ComplExEnergy
from transa.models.distmult import DistMultEnergy
from transa.models.rotate import RotatEEnergy
from transa.models.unstructured import UnstructuredEnergy
from transa.training.margins import share_of

N_ENTITIES, N_RELATIONS = 8, 3
# So many that what is drawn is all that there is to draw, each about as often.
ROUNDS = 4000


@pytest.fixture
def triples():
    rng = np.random.default_rng(3)
    found = rng.integers(0, (N_ENTITIES, N_RELATIONS, N_ENTITIES), (30, 3)).astype(np.int32)
    # An entity that knows everyone by one relation has nobody outside, and a margin of 0 there.
    everyone = [(7, 2, t) for t in range(N_ENTITIES)]
    return np.unique(np.concatenate([found[found[:, 0] != 7], everyone]), axis=0).astype(np.int32)


def margins(energy, tables, triples, margin, **options):
    """Per triple: with its tail and with its head corrupted."""
    graph = MarginGraph.of(triples, N_ENTITIES)
    around = [side.around for side in graph.sides]
    out = tuple(np.empty(len(each.group_relation), np.float32) for each in around)
    shares = tuple(share_of(each, margin.halved_at) for each in around)
    energy_margins(graph, energy, tables, margin, shares, out, **options)
    return [of[each.group_of_triple] for of, each in zip(out, around, strict=True)]


def by_definition(energy_of, triples):
    """M_ent of every triple, for either side, from the docstring of the module."""
    found = []
    for end, other in ((0, 2), (2, 0)):
        of_anchor = {}
        for anchor in set(triples[:, end].tolist()):
            gaps = []
            for r in set(triples[triples[:, end] == anchor, 1].tolist()):
                mine = (triples[:, end] == anchor) & (triples[:, 1] == r)
                positives = set(triples[mine, other].tolist())
                radius = max(energy_of(anchor, r, e, end) for e in positives)
                outside = set(range(N_ENTITIES)) - positives
                apart = [abs(energy_of(anchor, r, e, end) - radius) for e in outside]
                gaps.append(np.mean(apart) if apart else 0.0)
            of_anchor[anchor] = np.mean(gaps)
        found.append(np.array([of_anchor[anchor] for anchor in triples[:, end].tolist()]))
    return found


def _distmult(tables, h, r, t):
    return -float(np.sum(tables["entity"][h] * tables["relation"][r] * tables["entity"][t]))


def _complex(tables, h, r, t):
    one, of, other = (
        row[: len(row) // 2] + 1j * row[len(row) // 2 :]
        for row in (tables["entity"][h], tables["relation"][r], tables["entity"][t])
    )
    return -float(np.real(np.sum(one * of * np.conj(other))))


def _rotate(tables, h, r, t):
    one, other = (
        row[: len(row) // 2] + 1j * row[len(row) // 2 :] for row in tables["entity"][[h, t]]
    )
    return float(np.abs(one * np.exp(1j * tables["angle"][r]) - other).sum())


@pytest.mark.parametrize(
    ("energy", "of"),
    [(DistMultEnergy(4), _distmult), (ComplExEnergy(4), _complex), (RotatEEnergy(4), _rotate)],
)
def test_margins_are_those_of_the_definition(energy, of, triples):
    tables = energy.initialise(N_ENTITIES, N_RELATIONS, np.random.default_rng(0))

    def energy_of(anchor, r, other, end):
        return of(tables, *((anchor, r, other) if end == 0 else (other, r, anchor)))

    expected = by_definition(energy_of, triples)
    found = margins(energy, tables, triples, Adaptive(mu=0.5, reading="energies", rounds=ROUNDS))
    for drawn, exact in zip(found, expected, strict=True):
        np.testing.assert_allclose(drawn, 0.5 * exact, rtol=0.05, atol=1e-6)


def test_of_unstructured_it_is_the_reading_active(triples):
    energy = UnstructuredEnergy(4)
    tables = energy.initialise(N_ENTITIES, N_RELATIONS, np.random.default_rng(0))
    found = margins(energy, tables, triples, Adaptive(mu=1.0, reading="energies", rounds=ROUNDS))
    none = np.zeros((N_RELATIONS, 4), np.float32)
    same = {"mu": 1.0, "norm": "l2sq", "reading": "active", "rounds": ROUNDS}
    expected = adaptive_margins(triples, tables["entity"], none, **same)
    for drawn, paper in zip(found, expected, strict=True):
        np.testing.assert_allclose(drawn, paper, rtol=0.05, atol=1e-6)


def test_mu_and_shares_scale_it_and_the_seed_decides_who_is_drawn(triples):
    energy = DistMultEnergy(4)
    tables = energy.initialise(N_ENTITIES, N_RELATIONS, np.random.default_rng(0))
    plain = Adaptive(mu=0.8, reading="energies")
    (whole, _), (again, _), (other, _) = (
        margins(energy, tables, triples, plain, seed=(seed,)) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(whole, again)
    assert not np.allclose(whole, other)
    falling = Adaptive(mu=0.8, reading="energies", mu_halved_after=5.0)
    later, _ = margins(energy, tables, triples, falling, seed=(1,), epoch=5)
    np.testing.assert_allclose(later, whole / 2, rtol=1e-6)
    halved, _ = margins(
        energy, tables, triples, Adaptive(mu=0.8, reading="energies", halved_at=1.0), seed=(1,)
    )
    of_all = [(h, r) == (7, 2) for h, r, _ in triples.tolist()]
    np.testing.assert_allclose(halved[of_all], whole[of_all] / N_ENTITIES, rtol=1e-6)


OTHERS = sorted(set(MODELS) - {"transa", "transe"})


@pytest.mark.parametrize("model", OTHERS)
def test_every_model_trains_with_it(model, atlas):
    # Nothing is compiled, and the space is small: some models have a matrix for a relation.
    options = {"dim": 4, "epochs": 1, "validate_every": 0, "threads": 1, "engine": "autograd"}
    margin = Adaptive(reading="energies", local=1.0)
    trained = Estimator(model, margin=margin, **options).fit(atlas)
    assert trained.history_[-1].mean_margin > 0


def test_it_is_looked_at_in_distances():
    model = TransA(margin=Adaptive(reading="energies", mu=0.7))
    assert model.adaptive == Adaptive(reading="active", mu=0.7)


def test_distances_are_not_read_as_energies():
    with pytest.raises(ConfigError, match="choose pairs, spheres or active"):
        adaptive_margins(np.array([[0, 0, 1]]), np.eye(2), np.eye(2), reading="energies")
