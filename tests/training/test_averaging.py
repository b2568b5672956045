from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transa.margins import Fixed
from transa.models.transh import TransHEnergy
from transa.settings.recipe import Recipe
from transa.training import rows
from transa.training.loop import train
from transa.training.rows import ETA, blend


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=60))
def test_the_mean_is_weighted_by_a_polynomial_of_the_epoch(values):
    mean = {"entity": np.full((1, 1), 7, np.float32)}
    for epoch, value in enumerate(values, start=1):
        blend(mean, {"entity": np.full((1, 1), value, np.float32)}, epoch)
    # Unrolled, the recursion gives epoch i the weight i (i + 1) ... (i + ETA − 1).
    weights = [np.prod(np.arange(i, i + ETA, dtype=float)) for i in range(1, len(values) + 1)]
    assert mean["entity"][0, 0] == pytest.approx(np.average(values, weights=weights), abs=1e-5)


def test_every_row_of_a_long_table_is_blended(monkeypatch):
    monkeypatch.setattr(rows, "ROWS_AT_A_TIME", 4)
    mean, table = np.zeros((10, 3), np.float32), np.arange(30, dtype=np.float32).reshape(10, 3)
    blend({"entity": mean}, {"entity": table}, 1)
    np.testing.assert_array_equal(mean, table)


@pytest.mark.parametrize("engine", ["fused", "autograd"])
def test_the_mean_is_where_the_energy_wants_its_rows(grid, engine):
    recipe = Recipe(epochs=6, validate_every=0, threads=1, margin=Fixed(1.0), engine=engine)
    normals = train(TransHEnergy(8), recipe, grid).parameters["normal"]
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, rtol=1e-5)
