"""Vectors for other programs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from transa import Graph, TransA, Vocabulary
from transa.errors import ConfigError, InputError, NotFittedError


def test_tsv(fitted, tmp_path):
    fitted.export(tmp_path / "vectors.tsv")
    frame = pl.read_csv(tmp_path / "vectors.tsv", separator="\t")
    assert frame.columns == ["label", *(f"v{i}" for i in range(8))]
    assert frame["label"].to_list() == fitted.graph_.entities.labels.to_list()
    read = frame.drop("label").to_numpy().astype(np.float32)
    np.testing.assert_array_equal(read, fitted.parameters_["entity"])


def test_parquet(fitted, tmp_path):
    fitted.export(tmp_path / "vectors.parquet", to="parquet")
    frame = pl.read_parquet(tmp_path / "vectors.parquet")
    assert frame.columns == ["label", "name", "vector"]
    assert frame["name"].to_list() == fitted.graph_.entities.names.to_list()
    np.testing.assert_array_equal(frame["vector"].to_numpy(), fitted.parameters_["entity"])


def test_word2vec(fitted, tmp_path):
    fitted.export(tmp_path / "vectors.txt", to="word2vec")
    first, *lines = (tmp_path / "vectors.txt").read_text().splitlines()
    assert first == "12 8"
    words, *numbers = zip(*(line.split(" ") for line in lines), strict=True)
    assert words[:7] == ("fr", "es", "pt", "be", "de", "xx", "p_a")
    read = np.array(numbers, dtype=np.float32).T
    np.testing.assert_array_equal(read, fitted.parameters_["entity"])


def test_relations_too(fitted, tmp_path):
    fitted.export(tmp_path / "r.parquet", to="parquet", table="relation")
    frame = pl.read_parquet(tmp_path / "r.parquet")
    assert frame.columns == ["label", "vector"]
    assert frame["label"].to_list() == ["borders", "capital"]


def test_labels_that_word2vec_cannot_tell_apart_leave_nothing_behind(tmp_path):
    graph = Graph(
        train=np.array([[0, 0, 1]]),
        entities=Vocabulary("entity", ["New York", "New_York"]),
        relations=Vocabulary("relation", ["r"]),
    )
    model = TransA(dim=2, epochs=1, threads=1).fit(graph)
    with pytest.raises(InputError, match="would both be 'New_York'"):
        model.export(tmp_path / "vectors.txt", to="word2vec")
    assert list(tmp_path.iterdir()) == []


def test_what_does_not_exist_is_refused(fitted, tmp_path):
    with pytest.raises(ConfigError, match="one of tsv, parquet, word2vec; found 'xml'"):
        fitted.export(tmp_path / "x", to="xml")
    with pytest.raises(ConfigError, match="no table 'event', but entity, relation"):
        fitted.export(tmp_path / "x", table="event")
    with pytest.raises(NotFittedError):
        TransA().export(tmp_path / "x")


def test_tsv_has_labels_as_they_are(tmp_path):
    labels = ['he said "hi"', "a b", "x,y"]
    graph = Graph(
        np.array([[0, 0, 1], [1, 0, 2]], dtype=np.int32),
        Vocabulary("entity", labels),
        Vocabulary("relation", ["r"]),
    )
    model = TransA(dim=2, epochs=1, threads=1).fit(graph)
    model.export(tmp_path / "vectors.tsv")
    _, *lines = (tmp_path / "vectors.tsv").read_text().splitlines()
    assert [line.split("\t")[0] for line in lines] == labels
    model = TransA(dim=2, epochs=1, threads=1).fit(
        replace(graph, entities=Vocabulary("entity", ["a\tb", "c", "d"]))
    )
    with pytest.raises(InputError, match="has a tab or a line break"):
        model.export(tmp_path / "other.tsv")
    assert not (tmp_path / "other.tsv").exists()
