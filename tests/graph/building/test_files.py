from __future__ import annotations

from pathlib import Path

import pytest

from transa.errors import InputError
from transa.graph.building.files import find_files


def folder_of(tmp_path: Path, *names: str) -> Path:
    for name in names:
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize("valid", ["valid.txt", "validation.csv", "val.tsv.gz", "dev.parquet.zst"])
def test_a_folder_of_three(tmp_path, valid):
    folder = folder_of(tmp_path, "train.tsv", valid, "test.nt", "README.txt", "notes.py", ".hidden")
    files = find_files(folder, None, None)
    assert (files.train.name, files.valid.name, files.test.name) == ("train.tsv", valid, "test.nt")
    assert files.name == tmp_path.name
    assert files.entity_names is None


def test_labelled_and_other_files_are_passed_over(tmp_path):
    names = ("train.txt.gz", "valid.txt.gz", "valid_labeled.txt.gz", "entities.txt.gz")
    files = find_files(folder_of(tmp_path, *names), None, None)
    assert files.valid.name == "valid.txt.gz"
    assert files.test is None


def test_names_for_people(tmp_path):
    names = ("train.txt", "entity_names.tsv.gz", "relation_names.tsv")
    files = find_files(folder_of(tmp_path, *names), None, None)
    assert files.entity_names.name == "entity_names.tsv.gz"
    assert files.relation_names.name == "relation_names.tsv"


@pytest.mark.parametrize("extra", ["readme.txt", "LICENSE", "entity_names.tsv", "make.py"])
def test_a_folder_of_one(tmp_path, extra):
    files = find_files(folder_of(tmp_path, "family.csv", extra), None, None)
    assert files.train.name == "family.csv"
    assert files.valid is None


def test_one_file_is_called_by_its_stem(tmp_path):
    files = find_files(folder_of(tmp_path, "family.csv.gz") / "family.csv.gz", None, None)
    assert files.name == "family"


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([], "holds no file of triples; expected train, valid and test files"),
        (["notes.md"], "holds no file of triples"),
        (["a.tsv", "b.tsv"], "holds a.tsv, b.tsv; expected train"),
        (["test.tsv"], "holds test.tsv; expected train"),
        (["valid.tsv", "test.tsv"], "holds test.tsv, valid.tsv; expected train"),
        (["train.tsv", "train.tsv.gz"], "holds train.tsv, train.tsv.gz, expected one of them"),
        (["train.tsv", "dev.tsv", "valid.tsv"], "holds dev.tsv, valid.tsv, expected one"),
    ],
)
def test_a_folder_that_is_no_graph(tmp_path, names, words):
    with pytest.raises(InputError) as caught:
        find_files(folder_of(tmp_path, *names), None, None)
    assert words in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_a_folder_and_a_file_do_not_mix(tmp_path):
    with pytest.raises(InputError, match="is a folder; with valid or test given"):
        find_files(folder_of(tmp_path, "train.tsv"), "valid.tsv", None)
