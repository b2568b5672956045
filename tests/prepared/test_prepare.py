"""From a file to a prepared graph."""

from __future__ import annotations

import gzip
import json
import resource
import shutil
import signal
import subprocess
import sys
from itertools import chain
from pathlib import Path

import polars as pl
import pytest

import transa
from tests.prepared.conftest import labelled
from transa.errors import ConfigError, InputError, StoreError, TooLargeError
from transa.files.arrays import map_arrays
from transa.graph.readers import streaming
from transa.graph.readers.options import FileOptions
from transa.prepared import labels
from transa.prepared.graph import PreparedGraph
from transa.prepared.prepare import Plan, prepare
from transa.prepared.record import check_files

ALL = Plan(partitions=3, held_out=0)


@pytest.fixture
def small_parts(monkeypatch):
    """Parts of a few lines, ranges of a few labels."""
    monkeypatch.setattr(streaming, "BYTES", 1000)
    monkeypatch.setattr(streaming, "ROWS", 70)
    monkeypatch.setattr(labels, "RANGES", 5)


def written(lines, folder, form) -> Path:
    rows = [line.rstrip("\n").split("\t") for line in lines]
    path = folder / f"towns.{form}"
    if form == "parquet":
        pl.DataFrame(rows, schema=["h", "r", "t"], orient="row").write_parquet(path)
    elif form == "nt":
        path.write_text(
            "".join("<{}> <{}> <{}> .\n".format(*(x.replace(" ", "") for x in row)) for row in rows)
        )
    elif form == "csv":
        path.write_text(
            "head,relation,tail\n" + "".join('"{}","{}","{}"\n'.format(*row) for row in rows)
        )
    else:
        path.write_bytes(gzip.compress("".join(lines).encode()))
    return path


@pytest.mark.parametrize("form", ["tsv.gz", "csv", "parquet", "nt"])
@pytest.mark.usefixtures("small_parts")
def test_every_kind_of_file_gives_the_triples_that_reading_it_whole_gives(lines, tmp_path, form):
    source = written(lines, tmp_path, form)
    graph = prepare(source, tmp_path / "out", ALL)
    whole = transa.read(source, split=None, duplicates="drop")
    assert labelled(graph, "train") == labelled(whole, "train")
    assert graph.n_entities == whole.n_entities
    assert graph.relations.labels.to_list() == whole.relations.labels.to_list()
    assert len(graph.valid) == len(graph.test) == 0


def test_what_is_held_out_can_be_spared_and_is_not_trained_on(file, prepared):
    whole = transa.read(file, split=None, duplicates="drop")
    splits = {split: labelled(prepared, split) for split in ("train", "valid", "test")}
    assert sorted(chain(*splits.values())) == labelled(whole, "train")
    assert len(splits["valid"]) == len(splits["test"]) == 30
    seen = {label for h, _, t in splits["train"] for label in (h, t)}
    assert all(h in seen and t in seen for split in ("valid", "test") for h, _, t in splits[split])


def test_partitions_are_even_and_each_triple_is_in_the_bucket_of_its_ends(prepared):
    layout = prepared.layout
    sizes = [layout.size(p) for p in range(layout.partitions)]
    assert sum(sizes) == prepared.n_entities
    assert max(sizes[:-1]) == min(sizes[:-1]) >= sizes[-1]
    for pair in layout.pairs:
        ends = prepared.bucket(pair)["triples"][:, ::2] // layout.rows
        wanted = {(0, 1), (1, 0)} if pair.low != pair.high else {(0, 0)}
        assert {tuple(both) for both in ends.tolist()} <= wanted


def test_another_seed_holds_out_others_and_the_same_gives_the_same(file, prepared, tmp_path):
    again = prepare(file, tmp_path / "again", Plan(partitions=7, held_out=30))
    other = prepare(file, tmp_path / "other", Plan(partitions=7, held_out=30, seed=1))
    assert again.record.sums == prepared.record.sums
    assert labelled(other, "test") != labelled(prepared, "test")


def test_a_folder_keeps_its_splits_and_names(datasets_free_folder, tmp_path):
    whole = transa.read(datasets_free_folder, unseen="keep")
    graph = prepare(datasets_free_folder, tmp_path / "out", Plan(partitions=2))
    for split in ("train", "valid", "test"):
        assert labelled(graph, split) == labelled(whole, split)
    assert graph.entities.display(graph.entities.id("b")) == "Bee"
    assert graph.entities.id("Bee") == graph.entities.id("b")


@pytest.fixture
def datasets_free_folder(tmp_path):
    folder = tmp_path / "letters"
    folder.mkdir()
    (folder / "train.tsv").write_text("a\tr\tb\nb\tr\tc\nc\tq\ta\n")
    (folder / "valid.tsv").write_text("a\tr\tc\n")
    (folder / "test.tsv").write_text("a\tq\td\n")
    (folder / "entity_names.tsv").write_text("b\tBee\n")
    return folder


def test_a_graph_in_memory_can_be_prepared(atlas, tmp_path):
    graph = prepare(atlas, tmp_path / "out", Plan(partitions=3))
    for split in ("train", "valid", "test"):
        assert labelled(graph, split) == labelled(atlas, split)
    assert graph.name == "atlas"


def test_labels_of_the_same_hash_are_numbered_by_another(file, tmp_path, monkeypatch):
    real, seeds = labels.write_part, []

    def alike(frame, seed, edges, path):
        seeds.append(seed)
        names = real(frame, seed, edges, path)
        if seed == 0:
            clash = pl.read_parquet(path)
            clash.with_columns(hash=pl.lit(7, pl.UInt64)).write_parquet(path)
        return names

    monkeypatch.setattr("transa.prepared.prepare.write_part", alike)
    graph = prepare(file, tmp_path / "out", ALL)
    assert seeds == [0, 1]
    assert len(graph.train) == len(transa.read(file, split=None, duplicates="drop").train)


KILLED_AT = ["read", "numbered", "sorted", "neighbours of partition 2", "bucket 3"]


@pytest.mark.parametrize("at", KILLED_AT)
def test_what_a_kill_leaves_is_gone_on_with(file, prepared, tmp_path, at):
    code = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from transa.prepared.prepare import Plan, prepare\n"
        "def say(line):\n"
        "    if line.startswith(sys.argv[3]): os.kill(os.getpid(), signal.SIGKILL)\n"
        "prepare(sys.argv[1], Path(sys.argv[2]), Plan(partitions=7, held_out=30), say=say)\n"
    )
    out = tmp_path / "out"
    ended = subprocess.run([sys.executable, "-c", code, file, out, at], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert not out.exists()
    work = tmp_path / "out.preparing"
    before = {path: path.stat().st_mtime_ns for path in (work / "out").iterdir()}
    # As a kill in the middle of the labels would leave one.
    (work / "out" / ".entities.parquet.0123abcd.part.000").write_bytes(b"PAR1")
    graph = prepare(file, out, Plan(partitions=7, held_out=30))
    assert graph.record.sums == prepared.record.sums
    for path, when in before.items():
        assert (out / path.name).stat().st_mtime_ns == when, path
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_other_work_has_left_is_not_gone_on_with(file, tmp_path):
    work = tmp_path / "out.preparing"
    work.mkdir()
    (work / "owner").write_text("someone else")
    assert prepare(file, tmp_path / "out", ALL).record.train == 466


def test_the_same_again_costs_nothing(file, tmp_path):
    prepare(file, tmp_path / "out", ALL)
    when = (tmp_path / "out" / "prepared.json").stat().st_mtime_ns
    prepare(file, tmp_path / "out", ALL)
    assert (tmp_path / "out" / "prepared.json").stat().st_mtime_ns == when
    prepare(file, tmp_path / "out", Plan(partitions=2, held_out=0))
    assert PreparedGraph(tmp_path / "out").layout.partitions == 2


def test_something_else_in_the_way_stays(file, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").touch()
    with pytest.raises(StoreError, match="holds something else"):
        prepare(file, tmp_path / "out", ALL)


@pytest.mark.usefixtures("small_parts")
def test_a_bad_line_is_told_with_the_part_it_is_in(lines, tmp_path):
    bad = tmp_path / "bad.tsv"
    bad.write_text("".join([*lines[:100], "alone\n", *lines[100:]]))
    with pytest.raises(InputError, match=r"bad.tsv, after line \d+, line \d+: found 1 column"):
        prepare(bad, tmp_path / "out", ALL)


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_a_file_without_triples_is_refused(tmp_path, content):
    (tmp_path / "none.tsv").write_text(content)
    with pytest.raises(InputError, match=r"none\.tsv"):
        prepare(tmp_path / "none.tsv", tmp_path / "out", ALL)


def test_a_quoted_label_may_go_over_lines_and_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(streaming, "BYTES", 30)
    rows = [(f"a{i}", "r", f"two\nlines {i}") for i in range(9)]
    file = tmp_path / "quoted.csv"
    file.write_text("".join(f'{h},{r},"{t}"\n' for h, r, t in rows))
    graph = prepare(file, tmp_path / "out", ALL)
    assert labelled(graph, "train") == sorted(rows)


def test_a_quote_that_never_ends_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(streaming, "BYTES", 100)
    file = tmp_path / "open.csv"
    file.write_text('a,r,b\nc,r,"d\n' + "e,r,f\n" * 200)
    with pytest.raises(InputError, match="without end"):
        prepare(file, tmp_path / "out", ALL)


def test_literals_alone_leave_nothing(tmp_path):
    file = tmp_path / "words.nt"
    file.write_text('<a> <r> "word" .\n')
    with pytest.raises(InputError, match="holds no triples"):
        prepare(file, tmp_path / "out", ALL, FileOptions(literals="drop"))


def test_text_options_are_refused_of_other_files(lines, tmp_path):
    for form in ("parquet", "nt"):
        with pytest.raises(ConfigError, match="delimiter"):
            prepare(
                written(lines, tmp_path, form), tmp_path / "out", ALL, FileOptions(delimiter="tab")
            )


def test_turtle_is_read_whole(tmp_path):
    file = tmp_path / "x.ttl"
    file.write_text("@prefix : <http://x/> .\n:a :r :b, :c .\n")
    assert prepare(file, tmp_path / "out", ALL).record.train == 2


def test_partitions_and_held_out_are_checked():
    with pytest.raises(ConfigError, match="partitions"):
        Plan(partitions=0)
    with pytest.raises(ConfigError, match="held_out"):
        Plan(held_out=-1)


def test_memory_decides_how_many_partitions_there_are(file, tmp_path):
    said = []
    graph = prepare(
        file,
        tmp_path / "out",
        Plan(memory=420_000_000 + 4_000_000, row_bytes=200_000),
        say=said.append,
    )
    assert graph.layout.partitions >= 8
    assert any("partitions of" in line and "0.4 GB" in line for line in said)
    with pytest.raises(TooLargeError, match="too little for even one bucket"):
        prepare(file, tmp_path / "none", Plan(memory=10**6))


@pytest.mark.parametrize("room", [100, 5000])
def test_a_full_disk_is_told_and_what_is_done_stays(file, prepared, tmp_path, room):
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, limit[1]))
    try:
        with pytest.raises(StoreError, match="cannot be written"):
            prepare(file, tmp_path / "out", Plan(partitions=7, held_out=30))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    again = prepare(file, tmp_path / "out", Plan(partitions=7, held_out=30))
    assert again.record.sums == prepared.record.sums


def test_a_changed_file_is_noticed(prepared, tmp_path):
    copy = copied(prepared, tmp_path)
    check_files(copy)
    bucket = copy / "bucket-0-1.safetensors"
    map_arrays(bucket, write=True)["triples"][0, 0] += 1
    with pytest.raises(StoreError, match=r"bucket-0-1\.safetensors is not as it was written"):
        check_files(copy)


def copied(prepared, tmp_path) -> Path:
    return Path(shutil.copytree(prepared.folder, tmp_path / "copy"))


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda f: (f / "bucket-0-1.safetensors").unlink(), "bucket-0-1.safetensors is missing"),
        (lambda f: (f / "prepared.json").unlink(), "no prepared graph"),
        (lambda f: (f / "prepared.json").write_text("{"), "damaged"),
        (lambda f: (f / "prepared.json").write_text('{"format": 2}'), "damaged"),
        (lambda f: rewritten(f, format=99, transa="9.9"), "written by transa 9.9.*upgrade"),
        (lambda f: rewritten(f, format=1), "older transa; prepare it again"),
        (lambda f: (f / "held_out.parquet").write_bytes(b""), "held_out.parquet is not as it was"),
    ],
    ids=["missing", "no record", "torn", "short", "newer", "older", "cut"],
)
def test_a_folder_that_is_wrong_is_refused(prepared, tmp_path, damage, words):
    copy = copied(prepared, tmp_path)
    damage(copy)
    with pytest.raises(StoreError, match=words):
        PreparedGraph(copy)


def rewritten(folder, **changes) -> None:
    record = json.loads((folder / "prepared.json").read_text())
    (folder / "prepared.json").write_text(json.dumps(record | changes))
