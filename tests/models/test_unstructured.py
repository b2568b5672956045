"""Unstructured's beginning: nothing is nearer than anything else."""

from __future__ import annotations

import numpy as np

from transa.models.unstructured import UnstructuredEnergy


def test_entities_that_fit_begin_at_right_angles() -> None:
    """So that all are as far apart, and no neighbour is one by chance."""
    entity = UnstructuredEnergy(20).initialise(20, 3, np.random.default_rng(0))["entity"]
    np.testing.assert_allclose(entity @ entity.T, np.eye(20), atol=1e-6)
    assert entity.dtype == np.float32
    assert entity.flags.c_contiguous


def test_more_entities_than_dimensions_have_unit_length() -> None:
    entity = UnstructuredEnergy(20).initialise(21, 3, np.random.default_rng(0))["entity"]
    assert entity.shape == (21, 20)
    np.testing.assert_allclose(np.linalg.norm(entity, axis=1), 1, rtol=1e-6)


def test_another_seed_begins_elsewhere() -> None:
    one, other = (
        UnstructuredEnergy(20).initialise(5, 3, np.random.default_rng(seed))["entity"]
        for seed in (0, 1)
    )
    assert not np.allclose(one, other)
