"""Energies and the best of them, against plain definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from transa.models import NORMS, TransEEnergy
from transa.models.distances import nearest
from transa.models.scoring import energies


class Renamed(TransEEnergy):
    """Any other energy: computed in PyTorch, as it is defined."""


@pytest.mark.parametrize("norm", NORMS)
def test_energies_in_numpy_are_those_of_the_definition(norm, monkeypatch):
    rng = np.random.default_rng(0)
    # More candidates than are computed at a time.
    monkeypatch.setattr("transa.models.scoring._BUDGET", 5 * 6_000)
    parameters = TransEEnergy(5, norm).initialise(20_000, 3, rng)
    h, r, t = 7, 2, np.arange(20_000)
    fast = energies(TransEEnergy(5, norm), parameters, h, r, t)
    np.testing.assert_allclose(fast, energies(Renamed(5, norm), parameters, h, r, t), rtol=1e-5)
    entity, relation = parameters["entity"], parameters["relation"]
    one = entity[7] + relation[2] - entity[11]
    wanted = {"l1": abs(one).sum(), "l2": (one**2).sum() ** 0.5, "l2sq": (one**2).sum()}
    assert fast[11] == pytest.approx(wanted[norm], rel=1e-5)


def test_no_triples_have_no_energies():
    parameters = TransEEnergy(5).initialise(4, 2, np.random.default_rng(0))
    none = np.empty(0, dtype=np.int32)
    assert energies(TransEEnergy(5), parameters, none, none, none).shape == (0,)


@given(arrays(np.float32, st.integers(1, 30), elements=st.sampled_from([0, 1, 2, 3])), st.data())
def test_nearest_is_the_head_of_a_stable_sort(values, data):
    k = data.draw(st.integers(0, len(values)))
    assert nearest(values, k).tolist() == np.argsort(values, kind="stable")[:k].tolist()
