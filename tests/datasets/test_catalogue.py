from __future__ import annotations

import dataclasses
import gzip
import re
from pathlib import Path

import pytest

from transa import datasets as named
from transa.errors import UnknownNameError

BENCHMARKS = [entry for entry in named.available() if entry.name != "countries"]


def by_name(entry: named.DatasetInfo) -> str:
    return entry.name


def test_every_entry_is_complete():
    for entry in named.available():
        counts = (entry.relations, entry.entities, entry.train, entry.valid, entry.test)
        assert all(count > 0 for count in counts)
        assert entry.description
        assert entry.citation
        assert entry.licence
        assert entry.home.startswith("https://")


def test_entries_are_frozen_and_names_distinct():
    names = [entry.name for entry in named.available()]
    assert len(set(names)) == len(names) == 10
    with pytest.raises(dataclasses.FrozenInstanceError):
        named.info("wn18").train = 0


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("FB15K", "did you mean 'fb15k'?"),
        ("wn18r", "did you mean"),
        ("zebra", "there are codex-s, countries"),
    ],
)
def test_an_unknown_name_gets_a_suggestion(asked, hint):
    with pytest.raises(UnknownNameError, match=re.escape(hint)):
        named.load(asked)


def test_counts_of_countries():
    assert_counts(named.info("countries"), Path(named.__file__).with_name("countries"), "{}.txt")


@pytest.mark.parametrize("entry", BENCHMARKS, ids=by_name)
def test_counts_of_benchmarks(entry, datasets):
    assert_counts(entry, datasets / entry.name, "{}.txt.gz")
    assert entry.labelled_negatives == (datasets / entry.name / "test_labeled.txt.gz").exists()


@pytest.mark.parametrize("entry", BENCHMARKS, ids=by_name)
def test_counts_as_documented_beside_the_files(entry, datasets):
    readme = (datasets / "README.md").read_text(encoding="utf-8")
    row = next(line for line in readme.splitlines() if line.startswith(f"| {entry.name} | "))
    _, _, *counts = [cell.strip().replace(",", "") for cell in row.split("|")]
    stated = [entry.relations, entry.entities, entry.train, entry.valid, entry.test]
    assert [int(count) for count in counts[:5]] == stated


def assert_counts(entry: named.DatasetInfo, folder: Path, pattern: str) -> None:
    """Counted from the lines themselves, not by the reader."""
    entities, relations = set(), set()
    for split in ("train", "valid", "test"):
        content = (folder / pattern.format(split)).read_bytes()
        text = gzip.decompress(content) if pattern.endswith(".gz") else content
        triples = [line.split(b"\t") for line in text.splitlines()]
        assert len(triples) == getattr(entry, split)
        for head, relation, tail in triples:
            entities.update((head, tail))
            relations.add(relation)
    assert (len(entities), len(relations)) == (entry.entities, entry.relations)
