"""An index in its folder: kept, read when asked for, and refused where it is not sound."""

from __future__ import annotations

import json
from copy import copy
from hashlib import sha256

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import transa
from transa.errors import ConfigError, StoreError

NAME = "neighbours.safetensors"


@pytest.fixture
def indexed(fitted, tmp_path):
    copy(fitted).build_index().save(tmp_path / "model")
    return tmp_path / "model"


def test_it_is_read_when_asked_for(fitted, indexed):
    assert transa.load(indexed).learnt_.neighbours is None
    model = transa.load(indexed, index=True)
    found = model.similar("France", 3, exact=False)
    assert [row.label for row in found] == [row.label for row in fitted.similar("France", 3)]
    model.save(indexed)
    assert transa.load(indexed, index=True).learnt_.neighbours is not None
    fitted.save(indexed)
    assert not (indexed / NAME).exists()


def test_a_folder_without_one_says_so(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    with pytest.raises(ConfigError, match="has no index; `transa index` makes one"):
        transa.load(tmp_path / "model", index=True)


def changed(folder, change) -> None:
    """Rewrite the file, and its checksum with it."""
    change(folder / NAME)
    checksums = json.loads((folder / "checksums.json").read_text())
    checksums[NAME] = sha256((folder / NAME).read_bytes()).hexdigest()
    (folder / "checksums.json").write_text(json.dumps(checksums))


def with_arrays(**arrays):
    def change(path):
        kept = {name: array for name, array in {**load_file(path), **arrays}.items()
                if array is not None}  # fmt: skip
        save_file(kept, path)

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda path: path.write_bytes(b"x" * 100), "not the links of an index"),
        (lambda path: path.write_bytes(path.read_bytes()[:-7]), "not the links of an index"),
        (with_arrays(floors=None), "missing"),
        (with_arrays(about=np.array([32, 0], np.int64)), "not told"),
        (with_arrays(about=np.array([32, 0, 7], np.int64)), "not told"),
        (with_arrays(about=np.array([32, -1, 0], np.int64)), "entry"),
        (with_arrays(others=np.array([1, 2], np.int32)), "links"),
        (with_arrays(floors=np.zeros(0, np.int32)), "entities"),
    ],
)
def test_what_a_stranger_made_is_looked_through(indexed, change, reason):
    changed(indexed, change)
    transa.load(indexed)
    with pytest.raises(StoreError, match=reason):
        transa.load(indexed, index=True)


def test_damage_is_found_when_it_is_read_or_inspected(indexed):
    content = bytearray((indexed / NAME).read_bytes())
    content[-1] ^= 1
    (indexed / NAME).write_bytes(content)
    transa.load(indexed)
    for look in (
        lambda: transa.load(indexed, index=True),
        lambda: transa.storage.folder.inspect(indexed),
    ):
        with pytest.raises(StoreError, match="checksum differs"):
            look()
    (indexed / NAME).unlink()
    with pytest.raises(StoreError, match="missing"):
        transa.load(indexed, index=True)
