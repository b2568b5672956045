from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest

from transa.graph.readers.formats import data_stem, read_table
from transa.graph.readers.options import FileOptions

NTRIPLES = "<http://e/a> <http://e/r> <http://e/b> .\n"
TURTLE = "@prefix e: <http://e/> .\ne:a e:r e:b .\n"


def found(path: Path, content: bytes, **told: object) -> str:
    path.write_bytes(content)
    return read_table(path, FileOptions(**told)).format


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.tsv", "a\tr\tb\n", "tab-separated text"),
        ("a.csv", "a\tr\tb\n", "tab-separated text"),
        ("a.nt", NTRIPLES, "N-Triples"),
        ("a.ttl", NTRIPLES, "Turtle"),
        ("a.txt", NTRIPLES, "N-Triples"),
        ("a", '# a comment\n_:x <r> "b" .\n', "N-Triples"),
        ("a.txt", TURTLE, "Turtle"),
        ("a.txt", "# a comment\nPREFIX e: <http://e/>\ne:a e:r e:b .\n", "Turtle"),
        ("a.txt", "<a>\t<r>\t<b>\n", "tab-separated text"),
        ("a.txt", "prefix of word\n", "space-separated text"),
    ],
)
def test_the_format_is_found(tmp_path, name, content, expected):
    assert found(tmp_path / name, content.encode()) == expected
    assert found(tmp_path / f"{name}.gz", gzip.compress(content.encode())) == expected


def test_parquet_is_known_by_its_content(tmp_path):
    path = tmp_path / "a.data"
    pl.DataFrame({"h": ["a"], "r": ["r"], "t": ["b"]}).write_parquet(path)
    assert read_table(path, FileOptions()).format == "Parquet"


def test_the_format_can_be_told(tmp_path):
    line = "<a> <r> <b> .\n"
    assert found(tmp_path / "a.txt", line.encode()) == "N-Triples"
    assert found(tmp_path / "a.txt", line.encode(), format="turtle") == "Turtle"
    told = {"format": "delimited", "columns": (0, 1, 2)}
    assert found(tmp_path / "a.nt", line.encode(), **told) == "space-separated text"


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("train.txt", "train"),
        ("train.tsv.gz", "train"),
        ("train.parquet.zst", "train"),
        ("train", "train"),
        ("train.gz", "train"),
        ("train.py", None),
        ("valid_labeled.txt", "valid_labeled"),
    ],
)
def test_the_stem_of_a_data_file(name, stem):
    assert data_stem(Path(name)) == stem
