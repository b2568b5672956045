"""A bad file is an error that names the file, the line, what was found and what was expected."""

from __future__ import annotations

import gzip
import random
import sys
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transa import read
from transa.errors import ConfigError, InputError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

GOOD = "".join(f"e{i}\tr\te{i + 1}\n" for i in range(50))


def message(path: Path, **options: object) -> str:
    with pytest.raises(InputError) as caught:
        read(path, **options)
    text = str(caught.value)
    assert path.name in text
    assert "\n" not in text
    return text


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        ("a\tr\tb\nc\tr\n", 2, "found 2 columns ('c', 'r'), expected 3 separated by tab"),
        ("a\tr\tb\nc\tr\td\tx\n", 2, "found 4 columns"),
        ("a\tr\tb\nc\tr\td\t", 2, "found 4 columns"),
        ("a\tr\tb\nc d\n", 2, "found 1 column ('c d')"),
        ("a,r,b\n\n\nc,r\n", 4, "found 2 columns"),
        ("a r b\nc  r d\n", 2, "found 4 columns"),
        ("a\tr\tb\n\tr\tc\n", 2, "the head (column 1) is empty"),
        ("a\tr\tb\nc\t\td\n", 2, "the relation (column 2) is empty"),
        ("a\tr\tb\r\nc\tr\t\r\n", 2, "the tail (column 3) is empty"),
        ("a\tr\tb\n\t\t\n", 2, "the head (column 1) is empty"),
        ('a,r,b\nc,"",d\n', 2, "the relation (column 2) is empty"),
        ("tail,head,relation\nb,a,r\n,c,r\n", 3, "the tail (column 1) is empty"),
        ('a,r,b\n"x\ny",r,z\nc,r\n', 4, "found 2 columns"),
        ('a,r,b\n"c,r,d\ne,r,f\n', 2, "the quotes do not match"),
        ('a,r,b\nc,r,"d\ne,r,"f"\n', 2, "the quotes do not match"),
        ('a,r,b\n"c"c,r,d\n', 2, "the quotes do not match"),
        ("a\tr\tb\tweight\nc\tr\td\tweight\n", 1, "found 4 columns"),
        ("alone\n", 1, "'alone', expected three columns separated by tab, comma, semicolon"),
        ("head\trelation\ttail\n", 1, "found a header and nothing else"),
        ("", 1, "is empty"),
    ],
)
def test_text(tmp_path, content, line, words):
    path = tmp_path / "triples.txt"
    path.write_bytes(content.encode())
    text = message(path)
    assert f"line {line}" in text
    assert words in text
    assert "expected" in text


@given(
    before=st.integers(0, 40),
    bad=st.sampled_from([b"one\ttwo", b"a\t\tb", b"a\tr\t\xff\xfe", b"a\tr\tb\tc", b"\t\t"]),
    blanks=st.integers(0, 2),
    wrap=st.sampled_from(["", ".gz", ".zst"]),
)
def test_the_line_is_the_line_of_an_editor(tmp_path_factory, before, bad, blanks, wrap):
    lines = [line.encode() for line in GOOD.splitlines()]
    content = b"\n".join([*lines[:before], *[b""] * blanks, bad, *lines[before:]])
    compress = {"": bytes, ".gz": gzip.compress, ".zst": zstd.compress}[wrap]
    path = tmp_path_factory.getbasetemp() / f"bad.tsv{wrap}"
    path.write_bytes(compress(content))
    assert f", line {before + blanks + 1}: " in message(path)


def test_bad_utf8(tmp_path):
    path = tmp_path / "latin1.csv"
    path.write_bytes("a,r,b\nc,r,Zürich\n".encode("latin-1"))
    text = message(path)
    assert "line 2" in text
    assert "byte 0xfc" in text
    assert "expected text in UTF-8" in text


def test_blank_lines_alone_are_no_triples(tmp_path):
    path = tmp_path / "blank.tsv"
    path.write_text("\n\n\n")
    assert "nothing but blank lines; expected triples" in message(path)


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_cut_off_compression(tmp_path, suffix):
    compress = {".gz": gzip.compress, ".zst": zstd.compress}[suffix]
    path = tmp_path / f"train.tsv{suffix}"
    # Random labels, so that half of the file is worth about half of the lines.
    noise = random.Random(0).randbytes(100_000 * 6).hex()
    data = compress(
        "".join(f"a\tr\t{noise[i : i + 12]}\n" for i in range(0, len(noise), 12)).encode()
    )
    path.write_bytes(data[: len(data) // 2])
    text = message(path)
    line = int(text.split("line ")[1].split(":")[0])
    assert 1000 < line < 100_000
    assert "cut off" in text


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_damaged_compression(tmp_path, suffix):
    compress = {".gz": gzip.compress, ".zst": zstd.compress}[suffix]
    data = bytearray(compress(GOOD.encode()))
    data[len(data) // 2 : len(data) // 2 + 8] = b"\xff" * 8
    path = tmp_path / f"train.tsv{suffix}"
    path.write_bytes(bytes(data))
    text = message(path)
    assert "line " in text
    assert "damaged" in text or "cut off" in text


def test_plain_text_under_a_compressed_name(tmp_path):
    path = tmp_path / "train.tsv.gz"
    path.write_text(GOOD)
    assert "is named .gz but is not compressed" in message(path)


def test_no_such_file(tmp_path):
    assert "no such file" in message(tmp_path / "nowhere.tsv")
    (tmp_path / "train.tsv").write_text(GOOD)
    with pytest.raises(InputError, match=r"valid\.tsv: no such file"):
        read(tmp_path / "train.tsv", valid=tmp_path / "valid.tsv")


def test_a_folder_in_place_of_a_file(tmp_path):
    (tmp_path / "train.tsv").write_text(GOOD)
    (tmp_path / "held_out").mkdir()
    with pytest.raises(InputError, match="held_out is a folder; expected a file of triples"):
        read(tmp_path / "train.tsv", test=tmp_path / "held_out")


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (("s", "p", "tail"), "line 1: no column 'p'; there are 's', 'q', 'tail'"),
        ((0, 1, 3), "line 1: no column at position 3; expected 0 to 2"),
    ],
)
def test_a_column_that_is_not_there(tmp_path, columns, words):
    path = tmp_path / "triples.csv"
    path.write_text("s,q,tail\na,r,b\n")
    assert words in message(path, columns=columns)


def test_a_wide_file_asks_which_columns(tmp_path):
    path = tmp_path / "triples.csv"
    path.write_text("id,from,how,weight\n1,a,r,b\n")
    text = message(path, header=True)
    assert "line 1: found the columns 'id', 'from', 'how', 'weight'" in text
    assert "columns=" in text


@pytest.mark.parametrize("side", ["head", "tail"])
def test_unknown_labels_in_valid(tmp_path, side):
    train, valid = tmp_path / "train.tsv", tmp_path / "valid.tsv"
    train.write_text(GOOD)
    bad = {"tail": "e3\tr\tnew", "head": "new\tr\te3"}[side]
    valid.write_text(f"head\trelation\ttail\n\ne1\tr\te2\n{bad}\nnewer\tr\te3\n")
    with pytest.raises(InputError) as caught:
        read(train, valid=valid)
    text = str(caught.value)
    assert "valid.tsv, line 4: the entity 'new' does not occur in train (2 of 3 triples" in text
    assert "--unseen drop (unseen='drop')" in text


def test_unknown_relation_in_test(tmp_path):
    (tmp_path / "train.tsv").write_text(GOOD)
    pl.DataFrame({"head": ["e1"], "relation": ["new"], "tail": ["e2"]}).write_parquet(
        tmp_path / "test.parquet"
    )
    with pytest.raises(InputError, match=r"test\.parquet, row 0: the relation 'new' does not"):
        read(tmp_path)


def test_parquet_that_is_none(tmp_path):
    path = tmp_path / "triples.parquet"
    path.write_bytes(b"PAR1 and then nothing of the kind")
    assert "is not a readable Parquet file" in message(path)


def test_parquet_cut_off(tmp_path):
    path = tmp_path / "triples.parquet"
    pl.DataFrame({"h": ["a"] * 99, "r": ["b"] * 99, "t": ["c"] * 99}).write_parquet(path)
    path.write_bytes(path.read_bytes()[:-20])
    assert "is not a readable Parquet file" in message(path)


def test_parquet_without_a_column(tmp_path):
    path = tmp_path / "triples.parquet"
    pl.DataFrame({"head": ["a"], "tail": ["b"]}).write_parquet(path)
    assert "found the columns 'head', 'tail', expected head, relation and tail" in message(path)
    text = message(path, columns=("head", "verb", "tail"))
    assert "no column 'verb'; there are 'head', 'tail'" in text


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "row 1: column 'relation' is empty"), ("", "row 1: column 'relation' is empty")],
)
def test_parquet_with_a_hole(tmp_path, value, words):
    path = tmp_path / "triples.parquet"
    pl.DataFrame({"head": ["a", "b"], "relation": ["r", value], "tail": ["b", "c"]}).write_parquet(
        path
    )
    assert words in message(path)


def test_parquet_of_numbers_with_a_point(tmp_path):
    path = tmp_path / "triples.parquet"
    pl.DataFrame({"head": [0.5], "relation": [1], "tail": [2]}).write_parquet(path)
    assert "column 'head' has the type Float64; labels are strings or whole" in message(path)


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("a.nt", "<a> <r> <b> .\n<a> <r>\n", 2),
        ("a.nt", "<a> <r> <b> .\n<a> <r> <b>\n<a> <r> <b> .\n", 2),
        ("a.nt", '<a> <r> <b> .\n<a> <r> "open .\n', 2),
        ("a.ttl", "@prefix e: <http://e/> .\ne:a e:r e:b .\ne:a f:r e:b .\n", 3),
    ],
)
def test_rdf(tmp_path, name, content, line):
    path = tmp_path / name
    path.write_text(content)
    assert f", line {line}: not " in message(path)


def test_rdf_without_triples(tmp_path):
    path = tmp_path / "a.nt"
    path.write_text('<a> <r> "literal" .\n')
    assert "holds no triples between entities; found 1 statements" in message(path, literals="drop")


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("format", "xml"),
        ("delimiter", "::"),
        ("delimiter", ""),
        ("duplicates", "maybe"),
        ("unseen", "ignore"),
        ("literals", "some"),
        ("columns", ("a", "b")),
        ("columns", (0, 0, 1)),
        ("split", (0.5, 0.1)),
        ("split", (0.5, 0.1, 0.1)),
        ("split", (0.0, 0.5, 0.5)),
        ("split", (1.2, -0.1, -0.1)),
    ],
)
def test_an_argument_that_is_not_legal(tmp_path, option, value):
    path = tmp_path / "triples.tsv"
    path.write_text(GOOD)
    with pytest.raises(ConfigError, match=option):
        read(path, **{option: value})


def test_text_options_are_for_text(tmp_path):
    path = tmp_path / "triples.parquet"
    pl.DataFrame({"head": ["a"], "relation": ["r"], "tail": ["b"]}).write_parquet(path)
    with pytest.raises(ConfigError, match="is parquet; delimiter is for delimited files"):
        read(path, delimiter="tab")
