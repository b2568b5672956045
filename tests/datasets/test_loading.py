from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from transa import datasets as named
from transa.datasets import info
from transa.errors import InputError

TRAIN = "cat\tis_a\tanimal\ncat\tis_a\tanimal\ncow\tis_a\tanimal\n"
LABELLED = (
    "cow\tis_a\tanimal\t1\ncow\tis_a\tghost\t-1\nghost\tis_a\tcat\t-1\ndog\tis_a\tanimal\t1\n"
)


@pytest.fixture
def small_wn11(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder called wn11 that is small enough to see through."""
    folder = tmp_path / "wn11"
    folder.mkdir()
    write(folder / "train.txt.gz", TRAIN)
    write(folder / "valid.txt.gz", "cow\tis_a\tanimal\ndog\tis_a\tanimal\n")
    write(folder / "test.txt.gz", "cat\tis_a\tcow\n")
    write(folder / "valid_labeled.txt.gz", LABELLED)
    monkeypatch.setenv("TRANSA_DATA", str(tmp_path))
    counts = replace(info("wn11"), train=3, valid=2, test=1)
    monkeypatch.setattr(
        "transa.datasets.loading.info", lambda name: counts if name == "wn11" else info(name)
    )
    return folder


def write(path: Path, text: str) -> None:
    path.write_bytes(gzip.compress(text.encode()))


def test_unseen_entities_and_repeated_lines_are_kept(small_wn11):
    graph = named.load("wn11")
    assert graph.name == "wn11"
    assert sorted(graph.entities.labels) == ["animal", "cat", "cow", "dog"]
    assert len(graph.train) == 3


def test_a_graph_that_is_not_as_published_is_refused(small_wn11):
    write(small_wn11 / "train.txt.gz", TRAIN.splitlines(keepends=True)[0])
    with pytest.raises(InputError, match="wn11: 1 train triples, but wn11 as published has 3"):
        named.load("wn11")


def test_labelled_triples_have_the_graphs_ids(small_wn11):
    graph = named.load("wn11")
    triples, truth = named.load_labelled("wn11", "valid")
    cow, cat, dog, animal = graph.entities.ids(["cow", "cat", "dog", "animal"])
    ghost = named.UNKNOWN
    assert triples.tolist() == [
        [cow, 0, animal],
        [cow, 0, ghost],
        [ghost, 0, cat],
        [dog, 0, animal],
    ]
    assert truth.tolist() == [True, False, False, True]
    assert (triples.dtype, truth.dtype) == (np.int32, np.bool_)


def test_labelled_triples_can_be_numbered_by_another_graph(small_wn11):
    other = named.load("countries")
    triples, _ = named.load_labelled("wn11", "valid", graph=other)
    assert (triples == named.UNKNOWN).all()


def test_a_label_that_is_neither_is_an_error(small_wn11):
    write(small_wn11 / "valid_labeled.txt.gz", LABELLED + "cat\tis_a\tcow\t0\n")
    with pytest.raises(InputError, match=r"line 5: the label is '0', expected 1 or -1"):
        named.load_labelled("wn11", "valid")


def test_a_missing_labelled_file_is_an_error(small_wn11):
    with pytest.raises(InputError, match="test_labeled"):
        named.load_labelled("wn11", "test")


def test_only_some_data_sets_and_splits_are_labelled(small_wn11):
    with pytest.raises(InputError, match=r"fb15k has no labelled negatives.*wn11, fb13, codex-s"):
        named.load_labelled("fb15k", "valid")
    with pytest.raises(InputError, match="no labelled split 'train'"):
        named.load_labelled("wn11", "train")


@pytest.mark.parametrize(
    ("name", "split", "pairs", "unknown"),
    [("wn11", "valid", 2609, 10), ("wn11", "test", 10544, 36), ("codex-s", "test", 1828, 0)],
)
def test_labelled_benchmarks(name, split, pairs, unknown, datasets, monkeypatch):
    monkeypatch.setenv("TRANSA_DATA", str(datasets))
    graph = named.load(name)
    triples, truth = named.load_labelled(name, split, graph=graph)
    assert (truth.sum(), (~truth).sum()) == (pairs, pairs)
    assert (triples[truth] == graph.split(split)).all()
    assert (triples == named.UNKNOWN).any(axis=1).sum() == unknown


@pytest.mark.parametrize("name", ["wn18rr", "fb15k-237", "wn11"])
def test_benchmarks_are_loaded_whole(name, datasets, monkeypatch):
    monkeypatch.setenv("TRANSA_DATA", str(datasets))
    graph, entry = named.load(name), named.info(name)
    assert (graph.n_entities, graph.n_relations) == (entry.entities, entry.relations)
    assert [len(graph.split(s)) for s in ("train", "valid", "test")] == [
        entry.train,
        entry.valid,
        entry.test,
    ]
