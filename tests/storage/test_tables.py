"""Tables that stay in their file."""

from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from transa.errors import StoreError
from transa.storage.tables import map_tables, write_tables

TABLES = {
    "entity": np.arange(12, dtype=np.float32).reshape(4, 3),
    "matrix": np.arange(8, dtype=np.float32).reshape(2, 2, 2),
    "none": np.empty((0, 3), dtype=np.float32),
}


@pytest.fixture
def file(tmp_path):
    save_file(TABLES, tmp_path / "t", metadata={"note": "not a table"})
    return tmp_path / "t"


def test_tables_are_as_they_were_written(file):
    found = map_tables(file)
    assert found.keys() == TABLES.keys()
    for name, table in TABLES.items():
        np.testing.assert_array_equal(found[name], table)
        assert found[name].dtype == np.float32
        assert not found[name].flags.writeable
        assert not found[name].flags.owndata


def test_they_outlive_the_file(file):
    found = map_tables(file)
    file.unlink()
    np.testing.assert_array_equal(found["entity"], TABLES["entity"])


def test_a_file_that_is_cut_short_is_refused(file):
    content = file.read_bytes()
    for length in (0, 5, 40, len(content) - 1):
        file.write_bytes(content[:length])
        with pytest.raises(StoreError, match="not the tables of a model"):
            map_tables(file)


@pytest.mark.parametrize(
    "place",
    [
        {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]},
        {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]},
        {"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]},
        {"dtype": "F32", "shape": [2], "data_offsets": [8, 16]},
        {"dtype": "F32", "shape": [2]},
        [],
    ],
)
def test_places_that_make_no_sense_are_refused(tmp_path, place):
    header = json.dumps({"entity": place}).encode()
    (tmp_path / "t").write_bytes(len(header).to_bytes(8, "little") + header + bytes(8))
    with pytest.raises(StoreError, match="not the tables of a model"):
        map_tables(tmp_path / "t")


def test_a_file_in_another_format_is_refused(tmp_path):
    (tmp_path / "t").write_bytes(b"PK\x03\x04" + bytes(100))
    with pytest.raises(StoreError, match="not the tables of a model"):
        map_tables(tmp_path / "t")


def test_other_readers_find_what_was_written(tmp_path):
    write_tables(tmp_path / "t", TABLES)
    for found in (load_file(tmp_path / "t"), map_tables(tmp_path / "t")):
        assert found.keys() == TABLES.keys()
        for name, table in TABLES.items():
            np.testing.assert_array_equal(found[name], table)
    assert map_tables(tmp_path / "t")["entity"].ctypes.data % 64 == 0
