from __future__ import annotations

import gzip

import polars as pl
import pytest

from transa.errors import InputError
from transa.graph.readers.names import names_of


def test_names_follow_the_labels(tmp_path):
    path = tmp_path / "entity_names.tsv.gz"
    path.write_bytes(gzip.compress(b'b\tB\'s "name"\nunused\tX\na\tA\na\tsecond A\n'))
    names = names_of(pl.Series(["a", "b", "c"]), path)
    assert names.to_list() == ["A", 'B\'s "name"', None]


def test_no_file_no_names():
    assert names_of(pl.Series(["a"]), None) is None


def test_a_bad_line_is_named(tmp_path):
    path = tmp_path / "entity_names.tsv"
    path.write_text("a\tA\nb\n")
    with pytest.raises(InputError, match=r"entity_names\.tsv, line 2: found 1 column"):
        names_of(pl.Series(["a", "b"]), path)
