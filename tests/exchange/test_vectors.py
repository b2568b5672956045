"""Vectors as frames, tables and arrays."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import transa
from transa.errors import ConfigError


def test_each_library_has_the_same_numbers(fitted):
    pytest.importorskip("pandas", reason="the extra 'pandas' is not installed")
    rows = fitted.parameters_["entity"]
    assert np.array_equal(fitted.vectors(to="numpy"), rows)
    frame = fitted.vectors()
    assert frame.columns == ["label", "name", "vector"]
    assert np.array_equal(frame["vector"].to_numpy(), rows)
    assert frame.filter(pl.col("name") == "Spain")["label"].item() == "es"
    pandas = fitted.vectors(to="pandas")
    assert np.array_equal(pandas.loc["fr"], rows[0])
    assert pandas.index.name == "label"
    arrow = fitted.vectors(to="arrow")
    assert arrow.column_names == ["label", "name", "vector"]
    assert np.array_equal(np.array(arrow["vector"].to_pylist(), dtype=np.float32), rows)


def test_other_tables(fitted):
    assert fitted.vectors("relation")["label"].to_list() == ["borders", "capital"]
    graph = transa.from_ids([[0, 0, 1], [1, 0, 2]])
    model = transa.Estimator("rescal", dim=3, epochs=1, threads=1).fit(graph)
    (matrices,) = (t for t, of in model.model_.energy.tables.items() if of == "relation")
    assert model.vectors(matrices, "numpy").shape == (1, 9)


def test_what_is_not_there_is_refused(fitted):
    with pytest.raises(ConfigError, match="no table 'entities', but entity, relation"):
        fitted.vectors("entities")
    with pytest.raises(ConfigError, match="is one of polars, pandas, numpy, arrow"):
        fitted.vectors(to="excel")
