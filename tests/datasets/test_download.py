from __future__ import annotations

import gzip
import hashlib
import json
import logging
import socket
from pathlib import Path

import pytest

from transa import datasets
from transa.datasets import normalise
from transa.datasets.addresses import HOMES, Piece
from transa.datasets.download import download
from transa.errors import DownloadError

NATIONS = {piece.file: piece.parts[0] for piece in HOMES["nations"]}


def assert_refused(cache: Path, *words: str) -> None:
    with pytest.raises(DownloadError) as caught:
        datasets.load("nations")
    sentence = str(caught.value)
    assert "TRANSA_DATA" in sentence
    assert "\n" not in sentence
    for word in words:
        assert word in sentence
    assert list(cache.iterdir()) == []


def test_downloads_once_and_then_reads_the_cache(cache, nations_at_home):
    assert not datasets.is_local("nations")
    first = datasets.load("nations")
    asked = list(nations_at_home.asked)
    second = datasets.load("nations")

    assert len(asked) == 3
    assert nations_at_home.asked == asked
    assert datasets.is_local("nations")
    assert (first.known == second.known).all()
    assert (len(first.train), len(first.valid), len(first.test)) == (1592, 199, 201)
    assert sorted(path.name for path in cache.iterdir()) == ["nations"]


def test_wrong_content_is_refused(cache, nations_at_home):
    part = NATIONS["valid.txt"]
    nations_at_home.files[part] = nations_at_home.files[part].replace(b"uk", b"usa", 1)
    assert_refused(cache, "valid.txt of nations", "sha256", "2b337a62e51a")


def test_a_connection_that_breaks_off_is_refused(cache, nations_at_home):
    nations_at_home.breaks_off.add(NATIONS["train.txt"])
    assert_refused(cache, NATIONS["train.txt"], "broke off")


def test_a_missing_file_is_refused(cache, nations_at_home):
    del nations_at_home.files[NATIONS["valid.txt"]]
    assert_refused(cache, NATIONS["valid.txt"], "answered 404")


def test_no_network_is_refused(cache, monkeypatch):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    monkeypatch.setenv("TRANSA_MIRROR", f"http://127.0.0.1:{port}")
    assert_refused(cache, f"127.0.0.1:{port}", "connection failed")


def test_a_mirror_that_is_no_address_is_refused(cache, monkeypatch):
    monkeypatch.setenv("TRANSA_MIRROR", "somewhere")
    assert_refused(cache, "not a web address")


def test_a_cache_that_cannot_be_written_is_refused(cache, nations_at_home):
    cache.write_text("in the way")
    with pytest.raises(DownloadError, match="set TRANSA_CACHE"):
        datasets.load("nations")


def test_a_failure_can_be_tried_again(cache, nations_at_home):
    nations_at_home.breaks_off.add(NATIONS["train.txt"])
    assert_refused(cache)
    nations_at_home.breaks_off.clear()
    assert len(datasets.load("nations").train) == 1592


def test_a_server_without_end_is_cut_short(cache, nations_at_home, monkeypatch):
    monkeypatch.setattr("transa.datasets.download._MOST_BYTES", 1000)
    monkeypatch.setattr("transa.datasets.download._CHUNK_BYTES", 1000)
    assert_refused(cache, "the server sends more than any graph has")


def test_another_process_that_was_quicker_wins(cache, nations_at_home):
    folder = download("nations", cache)
    (folder / "mark").touch()
    assert download("nations", cache) == folder
    assert (folder / "mark").exists()
    assert [path.name for path in cache.iterdir()] == ["nations"]


def test_names_are_not_worth_failing_for(cache, nations_at_home, monkeypatch, caplog):
    names = Piece("entity_names.tsv", ("gone",), normalise.names, "", optional=True)
    monkeypatch.setitem(HOMES, "nations", (*HOMES["nations"], names))
    with caplog.at_level(logging.WARNING, "transa"):
        assert datasets.load("nations").entities.names is None
    assert "goes without entity_names.tsv" in caplog.text


def test_every_other_data_set_has_a_home():
    named = {entry.name for entry in datasets.available()} - {"countries"}
    assert set(HOMES) == named
    assert all(len(piece.sha256) == 64 for pieces in HOMES.values() for piece in pieces)


def as_published(name: str, folder: Path) -> dict[str, bytes]:
    """What the homes of a data set hold, made from its folder: normalising backwards."""

    def text(file: str) -> bytes:
        return gzip.decompress((folder / name / f"{file}.gz").read_bytes())

    parts: dict[str, bytes] = {}
    for piece in HOMES[name]:
        first, *others = piece.parts
        if piece.make is normalise.lines:
            carriage = name == "fb15k-237"
            parts[first] = text(piece.file).replace(b"\n", b"\r\n" if carriage else b"\n")
        elif piece.make is normalise.labelled:
            rows = text(piece.file).splitlines()
            false = [row[:-3] for row in rows if row.endswith(b"\t-1")]
            parts[others[0]] = b"\n".join(false)
        elif piece.make is normalise.names:
            rows = [row + b"\tits definition" for row in text(piece.file).splitlines()]
            parts[first] = b"\n".join(reversed(rows))
        elif piece.make is normalise.names_of_present:
            parts[first] = b"/m/elsewhere\tnot in this graph\n" + text(piece.file)
        elif piece.make is normalise.relation_labels:
            rows = text(piece.file).decode().splitlines()
            named = [row.split("\t") for row in (*reversed(rows), "P0\tnot in this graph")]
            parts[first] = json.dumps({label: {"label": name} for label, name in named}).encode()
    return parts


@pytest.mark.parametrize("name", ["wn11", "fb15k-237", "wn18rr", "codex-s", "kinship"])
def test_what_the_homes_publish_becomes_the_same_graph(name, datasets, cache, mirror):
    mirror.files.update(as_published(name, datasets))
    folder = download(name, cache)
    for piece in HOMES[name]:
        made = gzip.decompress((folder / f"{piece.file}.gz").read_bytes())
        assert made == gzip.decompress((datasets / name / f"{piece.file}.gz").read_bytes())
    assert len(mirror.asked) == len(set(mirror.asked))


@pytest.mark.parametrize("name", sorted(HOMES))
def test_checksums_are_those_of_the_benchmark_graphs(name, datasets):
    for piece in HOMES[name]:
        text = gzip.decompress((datasets / name / f"{piece.file}.gz").read_bytes())
        assert hashlib.sha256(text).hexdigest() == piece.sha256, piece.file
