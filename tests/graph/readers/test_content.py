from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

import pytest

from transa.errors import InputError
from transa.graph.readers.content import load

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXT = b"a\tr\tb\n" * 1000


@pytest.mark.parametrize(
    "stored",
    [
        TEXT,
        gzip.compress(TEXT),
        zstd.compress(TEXT),
        # What `cat one.gz two.gz` makes.
        gzip.compress(TEXT[:600]) + gzip.compress(TEXT[600:]),
        zstd.compress(TEXT[:600]) + zstd.compress(TEXT[600:]),
    ],
    ids=["plain", "gzip", "zstd", "gzip members", "zstd frames"],
)
def test_compression_is_told_by_content(tmp_path, stored):
    path = tmp_path / "without_suffix"
    path.write_bytes(stored)
    assert load(path) == TEXT


@pytest.mark.parametrize(
    "stored", [b"", gzip.compress(b""), zstd.compress(b"")], ids=["plain", "gzip", "zstd"]
)
def test_nothing_in_a_file_is_refused(tmp_path, stored):
    path = tmp_path / "empty"
    path.write_bytes(stored)
    with pytest.raises(InputError, match="empty is empty; expected at least one triple on line 1"):
        load(path)


def test_garbage_after_gzip_is_refused(tmp_path):
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(TEXT) + b"garbage")
    with pytest.raises(InputError, match=r"x\.gz, line 1001: the compressed data is damaged"):
        load(path)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="this system has no files for pipes")
def test_a_pipe_is_told_to_become_a_file():
    reading, writing = os.pipe()
    with pytest.raises(InputError, match="is a pipe"):
        load(Path(f"/dev/fd/{reading}"))
    os.close(reading)
    os.close(writing)
