"""The record of a prepared graph from a stranger: held to one schema before anything is used."""

from __future__ import annotations

import json
import os
import shutil

import polars as pl
import pytest

from transa.errors import TransaError
from transa.files.arrays import sum_of
from transa.prepared.graph import PreparedGraph


@pytest.fixture
def copied(prepared, tmp_path):
    folder = tmp_path / "copied"
    shutil.copytree(prepared.folder, folder)
    return folder


def tell(folder, **changes):
    record = json.loads((folder / "prepared.json").read_text())
    for name in changes.get("sums", {}):
        if changes["sums"][name] == 0 and (folder / name).is_file():
            changes["sums"][name] = sum_of(folder / name)
    sums = record["sums"] | changes.pop("sums", {})
    (folder / "prepared.json").write_text(json.dumps(record | {"sums": sums} | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"rows": 0},
        {"rows": 1},
        {"rows": 10**9},
        {"entities": 61},
        {"entities": -1},
        {"entities": True},
        {"relations": 10**20},
        {"relations": 3},
        {"train": -1},
        {"valid": 29},
        {"test": "30"},
        {"seed": None},
        {"made_of": 1},
        {"format": "1"},
        {"format": 10**400},
        {"sums": {"../../elsewhere": 0}},
        {"sums": {"/etc/passwd": 0}},
        {"sums": {"entities.parquet": -1}},
        {"sums": {"new.parquet": 1}},
    ],
    ids=str,
)
def test_what_it_cannot_be_is_refused_in_a_sentence(copied, changes):
    tell(copied, **changes)
    with pytest.raises(TransaError) as refused:
        PreparedGraph(copied)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 600


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 9999, "\udcff", "[1]"], ids=repr)
def test_what_is_no_record(copied, text):
    (copied / "prepared.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(TransaError, match=r"prepared\.json"):
        PreparedGraph(copied)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no such pipes")
def test_a_pipe_is_not_waited_for(copied):
    (copied / "prepared.json").unlink()
    os.mkfifo(copied / "prepared.json")
    with pytest.raises(TransaError, match=r"prepared\.json"):
        PreparedGraph(copied)


@pytest.mark.parametrize("name", ["entities.parquet", "relations.parquet", "held_out.parquet"])
@pytest.mark.parametrize("way", ["short", "renamed", "no parquet"])
def test_tables_that_do_not_fit(copied, name, way):
    frame = pl.read_parquet(copied / name)
    if way == "short":
        frame.head(1).write_parquet(copied / name)
    elif way == "renamed":
        frame.rename({frame.columns[0]: "other"}).write_parquet(copied / name)
    else:
        (copied / name).write_bytes(b"PAR1" * 9)
    tell(copied, sums={name: 0})
    with pytest.raises(TransaError) as refused:
        PreparedGraph(copied)
    assert "\n" not in str(refused.value)
