"""Files that are no files, swell beyond measure or were never meant to be read: told in time."""

from __future__ import annotations

import gzip
import io
import os
import random
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl
import pytest

from transa import read
from transa.errors import InputError, TooLargeError
from transa.graph.readers import content
from transa.graph.readers.content import load
from transa.graph.readers.options import FileOptions
from transa.graph.readers.parquet_bounds import decoded_size
from transa.graph.readers.streaming import parts_of

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXT = b"".join(b"e%d\tr\te%d\n" % (i, i + 1) for i in range(50))
COMPRESS = {"gz": gzip.compress, "zst": zstd.compress}
MEASURED = """
import resource, sys
from transa import TransaError, read
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    read(sys.argv[1])
except TransaError as error:
    print(error)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def refusal(path: Path, **options: object) -> str:
    with pytest.raises(InputError) as caught:
        read(path, **options)
    return str(caught.value)


def test_a_pipe_that_nobody_writes_to(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert "pipe is a pipe" in refusal(tmp_path / "pipe")


def test_a_socket():
    # A path of a socket is short by law.
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as made:
        made.bind(f"{folder}/s")
        assert "is a socket" in refusal(Path(folder, "s"))


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/tty"])
def test_a_device(device):
    assert f"{device} is a device; expected a file of triples" in refusal(Path(device))


@pytest.mark.parametrize("inner", COMPRESS)
@pytest.mark.parametrize("outer", COMPRESS)
def test_compressed_twice(tmp_path, inner, outer):
    path = tmp_path / f"x.tsv.{outer}"
    path.write_bytes(COMPRESS[outer](COMPRESS[inner](TEXT)))
    assert "is compressed twice; decompress it once" in refusal(path)


def test_a_bomb_is_refused_before_it_is_in_memory(tmp_path):
    path = tmp_path / "x.tsv.zst"
    with zstd.ZstdFile(path, "w") as file:
        for _ in range(2000):
            file.write(bytes(1 << 20))
    assert path.stat().st_size < 300_000
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(path)], capture_output=True, text=True, check=True
    )
    sentence, megabytes = done.stdout.splitlines()
    assert "swells to more than 200 times its size" in sentence
    # The allowance, and as much again while the memory grows.
    assert int(megabytes) < 600


def test_what_memory_cannot_hold(tmp_path, monkeypatch):
    plain, packed = tmp_path / "x.tsv", tmp_path / "x.tsv.gz"
    plain.write_bytes(TEXT)
    packed.write_bytes(gzip.compress(TEXT))
    monkeypatch.setattr("transa.files.memory.available_memory", lambda: 100)
    with pytest.raises(TooLargeError, match=r"reading .*x\.tsv would need .* take a part of it"):
        load(plain)
    with pytest.raises(TooLargeError, match=r"decompressing .*x\.tsv\.gz would need"):
        load(packed)


def test_a_sparse_file_larger_than_memory(tmp_path):
    path = tmp_path / "x.tsv"
    with path.open("wb") as file:
        file.truncate(1 << 42)
    with pytest.raises(TooLargeError, match="GB of memory"):
        read(path)


def test_a_good_file_may_be_one_line_repeated(tmp_path):
    path = tmp_path / "x.tsv.zst"
    path.write_bytes(zstd.compress(b"a\tr\tb\n" * 500_000))
    assert len(load(path)) > 300 * path.stat().st_size


def test_the_allowance_grows_with_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(content, "ALWAYS_ALLOWED", 1000)
    path = tmp_path / "x.tsv.gz"
    path.write_bytes(gzip.compress(TEXT * 10))
    assert load(path) == TEXT * 10
    path.write_bytes(gzip.compress(TEXT * 3000))
    with pytest.raises(TooLargeError, match="decompress it first"):
        load(path)


@pytest.mark.parametrize("piece", [b"a", b"a\t", b'"', b"a,"], ids=repr)
def test_a_line_beyond_measure(tmp_path, piece):
    path = tmp_path / "x.tsv"
    path.write_bytes(TEXT + piece * 2_000_000)
    assert "x.tsv, line 51: longer than 1,048,576 bytes" in refusal(path)


def test_columns_beyond_measure(tmp_path):
    path = tmp_path / "x.tsv"
    path.write_bytes(b"a\t" * 500_000 + b"a\n")
    assert "found 500,001 columns" in refusal(path, columns=(0, 1, 2))


@pytest.mark.parametrize("count", [2, 5_000_000])
def test_lines_ended_by_cr_alone(tmp_path, count):
    path = tmp_path / "x.tsv"
    path.write_bytes(b"a\tr\tb\r" * count)
    text = refusal(path)
    assert "the lines end in CR alone" in text
    assert "tr '\\r' '\\n'" in text


@pytest.mark.parametrize(
    "content", [b"a\tr\tb\na\r\tr\tb\n", b"a\tr\tb\nc\tr\ra\tb\n", b"a\tr\tb\na\tr\tb\r\r\n"]
)
def test_a_cr_that_ends_no_line_is_not_dropped(tmp_path, content):
    path = tmp_path / "x.tsv"
    path.write_bytes(content)
    assert "line 2: found a CR within the line" in refusal(path)


def test_a_cr_in_quotes_is_part_of_the_label(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(b'"a\r",r,a\r\n"\rb",r,c\n')
    labels = read(path, split=None).entities.labels.to_list()
    assert sorted(labels) == ["\rb", "a", "a\r", "c"]


def test_line_ends_of_two_kinds_are_line_ends(tmp_path):
    path = tmp_path / "x.tsv"
    path.write_bytes(b"a\tr\tb\r\nc\tr\tb\n")
    assert read(path, split=None).entities.labels.to_list() == ["a", "b", "c"]


@pytest.mark.parametrize("start", [b"x\x01", b"x^", b"x\xc2\x9c"], ids=repr)
def test_text_that_begins_as_zlib_does_is_text(tmp_path, start):
    path = tmp_path / "x.tsv"
    path.write_bytes(start + b"\tr\tb\n")
    assert start.decode() in read(path, split=None).entities


@pytest.mark.parametrize("start", [b"\x1f\x8b", b"\x28\xb5\x2f\xfd"], ids=["gzip", "zstd"])
@pytest.mark.parametrize("before", [b"\n", b"\xef\xbb\xbf"], ids=["blank line", "mark"])
def test_what_looks_compressed_once_its_beginning_is_cut_off_is_text_or_a_sentence(
    tmp_path, start, before
):
    path = tmp_path / "x.tsv"
    path.write_bytes(before + start + b"\tr\tb\nc\tr\td\n")
    assert "UTF-8" in refusal(path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_another_encoding_is_named(tmp_path, encoding):
    path = tmp_path / "x.tsv"
    path.write_bytes(TEXT.decode().encode(encoding))
    assert "iconv -f UTF-16 -t UTF-8" in refusal(path)


def test_a_panic_of_polars_is_a_sentence_and_prints_nothing(tmp_path, capfd):
    frame = pl.DataFrame({"head": ["a"] * 99, "relation": ["b"] * 99, "tail": ["c"] * 99})
    good = io.BytesIO()
    frame.write_parquet(good)
    path, rng = tmp_path / "x.parquet", random.Random(0)
    panics = 0
    for _ in range(800):
        damaged = bytearray(good.getvalue())
        for _ in range(2):
            damaged[rng.randrange(4, len(damaged) - 8)] = rng.randrange(256)
        path.write_bytes(bytes(damaged))
        try:
            read(path, split=None)
        except InputError as error:
            panics += isinstance(error.__cause__, pl.exceptions.PanicException)
    assert panics > 0
    assert capfd.readouterr().err == ""


def test_rows_that_a_parquet_file_only_claims_to_have(tmp_path, monkeypatch):
    path = tmp_path / "x.parquet"
    frame = pl.DataFrame({"head": ["a"], "relation": ["b"], "tail": ["c"]})
    pl.concat([frame] * 100_000).write_parquet(path)
    assert path.stat().st_size < 10_000
    monkeypatch.setattr("transa.files.memory.available_memory", lambda: 1_000_000)
    with pytest.raises(TooLargeError, match="reading the 100,000 rows of"):
        read(path)


ROWS = "".join(f"{i},p{i},1999,knows,p{i + 1}\n" for i in range(30))
WORDS = "".join(f"id{i},p{i},now,knows,p{i + 1}\n" for i in range(30))


@pytest.mark.parametrize(
    "rows", [ROWS, WORDS, *("".join(r.splitlines(True)[:3]) for r in (ROWS, WORDS))]
)
def test_a_header_with_columns_by_position_is_no_fact(tmp_path, rows):
    path = tmp_path / "x.csv"
    path.write_text(f"id,person,since,verb,friend\n{rows}")
    found = read(path, columns=(1, 3, 4), split=None)
    assert "person" not in found.entities
    assert "verb" not in found.relations
    assert found.n_triples("train") == rows.count("\n")
    assert "with a header by the look of it (--no-header or header=False" in str(found.report)
    assert found.report.has_findings
    # Larger than memory, it is read in parts.
    parts = [part() for part in parts_of(path, FileOptions(columns=(1, 3, 4)))]
    assert sum(map(len, parts)) == rows.count("\n")
    # Who says that it is a fact is believed.
    kept = read(path, columns=(1, 3, 4), split=None, header=False)
    assert "person" in kept.entities
    # A first line like the others is not suspected.
    path.write_text(rows)
    assert not read(path, columns=(1, 3, 4)).report.has_findings


def test_a_header_of_three_columns_may_be_a_fact_and_is_told_of(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("person,verb,friend\n" + "".join(f"p{i},knows,p{i + 1}\n" for i in range(30)))
    report = read(path).report
    assert "first line may be a header (--header" in str(report)
    assert report.has_findings
    assert "person" not in read(path, header=True).entities


@pytest.mark.parametrize("options", [{}, {"compression": "snappy"}, {"row_group_size": 100}])
@pytest.mark.parametrize("version", [None, "1.0", "2.0"])
def test_the_sizes_a_good_parquet_file_states(version, options):
    # Written by Polars and by pyarrow, whose pages differ.
    by_pyarrow = {"use_pyarrow": True, "pyarrow_options": {"data_page_version": version}}
    frame = pl.DataFrame({"head": [f"e{i}" for i in range(500)], "other": [[1, 2]] * 500})
    written = io.BytesIO()
    frame.write_parquet(written, **options, **(by_pyarrow if version else {}))
    labels = sum(4 + len(label) for label in frame["head"])
    assert labels <= decoded_size(written.getvalue(), ["head"]) < 2 * labels + 2000
    assert decoded_size(written.getvalue(), ["other"]) > 0


def test_damage_that_would_end_the_process(tmp_path):
    # Polars asks for 2 ** 61 bytes here, which no handler of errors survives.
    frame = pl.DataFrame({"head": ["a"] * 99, "relation": ["b"] * 99, "tail": ["c"] * 99})
    written = io.BytesIO()
    frame.write_parquet(written)
    damaged, rng = bytearray(written.getvalue()), random.Random(1350)
    for _ in range(2):
        damaged[rng.randrange(4, len(damaged) - 8)] = rng.randrange(256)
    path = tmp_path / "x.parquet"
    path.write_bytes(bytes(damaged))
    assert "is not a readable Parquet file" in refusal(path)


@pytest.mark.parametrize("place", range(4, 16))
def test_sizes_that_contradict_each_other(place):
    frame = pl.DataFrame({"head": ["a"] * 99})
    written = io.BytesIO()
    frame.write_parquet(written)
    data = written.getvalue()
    broken = data[:place] + b"\xff" * 12 + data[place + 12 :]
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        decoded_size(broken, ["head"])
