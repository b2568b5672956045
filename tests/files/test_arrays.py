"""Arrays in files that are mapped."""

from __future__ import annotations

import numpy as np
import pytest
from safetensors.numpy import load_file

from transa.errors import StoreError
from transa.files.arrays import map_arrays, reserve_arrays, sum_of, write_arrays

ARRAYS = {
    "ids": np.arange(7, dtype=np.int32),
    "rows": np.ones((3, 2), np.float32),
    "none": np.empty((0, 2), np.int64),
    "marks": np.array([1 << 63], dtype=np.uint64),
}


@pytest.fixture
def file(tmp_path):
    write_arrays(tmp_path / "arrays", ARRAYS)
    return tmp_path / "arrays"


def test_what_is_written_is_mapped_and_any_reader_of_the_format_reads_it(file):
    for found in (map_arrays(file), load_file(file)):
        assert found.keys() == ARRAYS.keys()
        for name, array in ARRAYS.items():
            np.testing.assert_array_equal(found[name], array)
            assert found[name].dtype == array.dtype


def test_only_a_map_for_writing_changes_the_file(file):
    map_arrays(file)["rows"][0] = 5
    assert map_arrays(file)["rows"][0, 0] == 1
    map_arrays(file, write=True)["rows"][0] = 5
    assert map_arrays(file)["rows"][0, 0] == 5


def test_room_is_taken_at_once(tmp_path):
    reserve_arrays(tmp_path / "model", {"entity": (100, 10), "relation": (2, 10)})
    found = map_arrays(tmp_path / "model")
    assert found["entity"].shape == (100, 10)
    assert not found["relation"].any()
    assert (tmp_path / "model").stat().st_blocks * 512 >= 4080


def test_any_changed_byte_changes_the_sum(file):
    before, content = sum_of(file), bytearray(file.read_bytes())
    for place in (0, len(content) // 2, len(content) - 1):
        changed = content.copy()
        changed[place] ^= 1
        file.write_bytes(changed)
        assert sum_of(file) != before
    file.write_bytes(content[:-1])
    assert sum_of(file) != before
    file.write_bytes(b"")
    assert sum_of(file) == 0


@pytest.mark.parametrize(
    ("damage", "word"),
    [
        (lambda file: file.unlink(), "missing"),
        (lambda file: file.write_bytes(file.read_bytes()[:-70]), "cut short"),
        (lambda file: file.write_bytes(b"no arrays at all"), "damaged"),
        (lambda file: file.write_bytes(b""), "damaged"),
    ],
    ids=["gone", "cut", "other", "empty"],
)
def test_a_file_that_is_none_is_refused(file, damage, word):
    damage(file)
    with pytest.raises(StoreError, match=word):
        map_arrays(file)
