"""Model folders from a stranger, who can write checksums as well."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
from contextlib import suppress
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import transa
from transa.cli.commands.info import _table as info_table
from transa.errors import ConfigError, StoreError
from transa.storage import folder as store
from transa.storage.judging import classifier_of
from transa.storage.tables import write_tables

DEEP = 5000


@pytest.fixture(scope="module")
def judging(fitted, tmp_path_factory):
    """A folder with a classifier in it: thresholds that move, isotonic curves."""
    folder = tmp_path_factory.mktemp("kept") / "model"
    fitted.save(folder)
    curve = {"margins": [-1.0, 0.5, 2.0], "shares": [0.1, 0.5, 0.9]}
    classifier = {
        "unseen": "none",
        "fitted_on": "valid",
        "threshold": 1.5,
        "thresholds": {"borders": {"threshold": 1.25, "fitted_on": 4}},
        "kind": "local",
        "shifts": {"pooled": [0.0, 0.5, 0.0, -1.0], "own": {"capital": [1, 2, 3, 4]}},
        "calibration": {"method": "isotonic", "pooled": curve, "own": {"borders": curve}},
    }
    (folder / "classifier.json").write_text(json.dumps(classifier))
    seal(folder)
    return folder


@pytest.fixture
def folder(judging, tmp_path):
    shutil.copytree(judging, tmp_path / "model")
    return tmp_path / "model"


def seal(folder):
    """Write the checksums that agree with whatever is there."""
    files = {*folder.iterdir()} - {folder / "checksums.json"}
    checksums = {file.name: store._sha256(file) for file in files if file.is_file()}
    (folder / "checksums.json").write_text(json.dumps(checksums))


def at(content, *path):
    for step in path:
        content = content[step]
    return content


def put(file, *path, value):
    """An alteration: a value at a place of a JSON file."""

    def alter(folder):
        content = json.loads((folder / file).read_text())
        at(content, *path[:-1])[path[-1]] = value
        (folder / file).write_text(json.dumps(content))

    return alter


def drop(file, *path):
    def alter(folder):
        content = json.loads((folder / file).read_text())
        del at(content, *path[:-1])[path[-1]]
        (folder / file).write_text(json.dumps(content))

    return alter


def log(**values):
    """Values in the second line of the log."""

    def alter(folder):
        lines = (folder / "log.jsonl").read_text().splitlines()
        lines[1] = json.dumps({**json.loads(lines[1]), **values})
        (folder / "log.jsonl").write_text("\n".join(lines) + "\n")

    return alter


def text(file, content):
    return lambda folder: (folder / file).write_text(content)


def frame(file, change):
    def alter(folder):
        change(pl.read_parquet(folder / file)).write_parquet(folder / file)

    return alter


def column(file, name, change):
    return frame(file, lambda f: f.with_columns(change(pl.col(name)).alias(name)))


def tables(change):
    def alter(folder):
        kept = {n: t.copy() for n, t in store.map_tables(folder / "parameters.safetensors").items()}
        change(kept)
        write_tables(folder / "parameters.safetensors", kept)

    return alter


def header(change):
    def alter(folder):
        file = folder / "parameters.safetensors"
        content = file.read_bytes()
        begin = 8 + int.from_bytes(content[:8], "little")
        told = json.loads(content[8:begin])
        change(told)
        new = json.dumps(told).encode()
        new += b" " * (-(8 + len(new)) % 64)
        file.write_bytes(len(new).to_bytes(8, "little") + new + content[begin:])

    return alter


def first_nan(kept):
    kept["entity"][0, 0] = np.nan


CONFIG, CLASSIFIER, TRIPLES = "config.json", "classifier.json", "triples.parquet"
CHANCES = "probabilities.json"
TRAINED, GRAPH, MARGIN = "training", "graph", ("settings", "margin")
CURVE, SHIFTS = ("calibration", "pooled"), "shifts"

ALTERATIONS = {
    "format -5": put(CONFIG, "format", value=-5),
    "format 0": put(CONFIG, "format", value=0),
    "format true": put(CONFIG, "format", value=True),
    "format huge": put(CONFIG, "format", value=10**400),
    "version no text": put(CONFIG, "transa", value=[1]),
    "version half a letter": put(CONFIG, "transa", value="\ud800"),
    "settings a list": put(CONFIG, "settings", value=[]),
    "settings missing": drop(CONFIG, "settings"),
    "model a list": put(CONFIG, "settings", "model", value=["transa"]),
    "margin a number": put(CONFIG, *MARGIN, value=3),
    "margin without a kind": drop(CONFIG, *MARGIN, "kind"),
    "rounds beyond memory": put(CONFIG, *MARGIN, "rounds", value=10**9),
    "mu infinite": put(CONFIG, *MARGIN, "mu", value=float("inf")),
    "another dimension": put(CONFIG, "settings", "dim", value=9),
    "dim huge": put(CONFIG, "settings", "dim", value=10**30),
    "dim a truth": put(CONFIG, "settings", "dim", value=True),
    "reciprocal": put(CONFIG, "settings", "reciprocal", value=True),
    "another model": put(CONFIG, "settings", "model", value="transr"),
    "lr no number": put(CONFIG, "settings", "lr", value=float("nan")),
    "nested settings": text(
        CONFIG, '{"format": 2, "transa": "0", "settings": ' + "[" * DEEP + "]" * DEEP + "}"
    ),
    "hardly nested settings": put(CONFIG, "settings", "lr", value=[[[[[[]]]]]]),
    "graph without a name": put(CONFIG, GRAPH, "name", value=None),
    "entities too many": put(CONFIG, GRAPH, "entities", value=13),
    "entities a truth": put(CONFIG, GRAPH, "entities", value=True),
    "entities beyond memory": put(CONFIG, GRAPH, "entities", value=10**15),
    "train and valid counted otherwise": lambda folder: (
        put(CONFIG, GRAPH, "train", value=12)(folder),
        put(CONFIG, GRAPH, "valid", value=3)(folder),
    ),
    "epochs negative": put(CONFIG, TRAINED, "epochs", value=-1),
    "epochs too many": put(CONFIG, TRAINED, "epochs", value=7),
    "best epoch not looked at": put(CONFIG, TRAINED, "best_epoch", value=3),
    "best epoch a text": put(CONFIG, TRAINED, "best_epoch", value="2"),
    "stopped by what": put(CONFIG, TRAINED, "stopped", value="bored"),
    "seconds a text": put(CONFIG, TRAINED, "seconds", value="long"),
    "loss another": put(CONFIG, TRAINED, "loss", value=0.125),
    "log a truth": log(epoch=True),
    "log out of order": log(epoch=1),
    "log no number": log(loss=float("nan")),
    "log infinite": log(seconds=float("inf")),
    "log no float": log(mean_margin=10**400),
    "log a list": log(best=[0.5]),
    "log longer": lambda folder: (folder / "log.jsonl").open("a").write("{}\n"),
    "log nested": text("log.jsonl", "[" * DEEP + "]" * DEEP),
    "log empty": text("log.jsonl", ""),
    "tables of another dimension": tables(lambda kept: kept.update(entity=kept["entity"][:, :7])),
    "tables of relations, another dimension": tables(
        lambda kept: kept.update(relation=np.zeros((2, 9), np.float32))
    ),
    "tables without an axis": tables(lambda kept: kept.update(relation=np.float32([1, 2]))),
    "one table more": tables(lambda kept: kept.update(more=kept["entity"])),
    "one table less": tables(lambda kept: kept.pop("relation")),
    "vectors no numbers": tables(first_nan),
    "tables overlap": header(lambda told: told["relation"].update(data_offsets=[0, 64])),
    "a truth for a shape": header(lambda told: told["relation"].update(shape=[2, 8, True])),
    "a shape below none": header(lambda told: told["relation"].update(shape=[-2, -8])),
    "offsets beyond the file": header(lambda told: told["relation"].update(data_offsets=[0, 1e9])),
    "one offset": header(lambda told: told["relation"].update(data_offsets=[0])),
    "between two numbers": header(lambda told: told["relation"].update(data_offsets=[383, 447])),
    "the header a list": lambda folder: (folder / "parameters.safetensors").write_bytes(
        (2).to_bytes(8, "little") + b"[]" + bytes(99)
    ),
    "the header without end": lambda folder: (folder / "parameters.safetensors").write_bytes(
        b"\xff" * 99
    ),
    "ids of truth": column(TRIPLES, "relation", lambda c: c.cast(pl.Boolean)),
    "ids of text": column(TRIPLES, "head", lambda c: c.cast(pl.String)),
    "ids of fractions": column(TRIPLES, "tail", lambda c: c + 0.5),
    "ids below 0": column(TRIPLES, "tail", lambda c: c - 5),
    "ids above all": column(TRIPLES, "head", lambda c: c + 10),
    "ids that wrap": column(TRIPLES, "head", lambda c: c.cast(pl.Int64) + 2**32),
    "ids missing": column(TRIPLES, "head", lambda c: c.replace(0, None)),
    "splits unknown": column(TRIPLES, "split", lambda c: c.cast(pl.String) + "s"),
    "splits numbers": column(TRIPLES, "split", lambda c: c.to_physical()),
    "splits missing": column(TRIPLES, "split", lambda c: c.replace("test", None)),
    "splits mixed": frame(TRIPLES, lambda f: f.reverse()),
    "one triple less": frame(TRIPLES, lambda f: f.head(-1)),
    "no column of splits": frame(TRIPLES, lambda f: f.drop("split")),
    "labels of numbers": frame("entities.parquet", lambda f: f.with_columns(label=pl.lit(1))),
    "labels the same": frame("entities.parquet", lambda f: f.with_columns(label=pl.lit("x"))),
    "labels missing": column("entities.parquet", "label", lambda c: c.replace("fr", None)),
    "names of numbers": frame("entities.parquet", lambda f: f.with_columns(name=pl.lit(1))),
    "one relation more": frame(
        "relations.parquet", lambda f: pl.concat([f, pl.DataFrame({"label": ["x"]})])
    ),
    "no Parquet": text("relations.parquet", "label\nborders\ncapital\n"),
    "an empty Parquet": text("relations.parquet", ""),
    "the threshold no number": put(CLASSIFIER, "threshold", value=float("nan")),
    "the threshold infinite": put(CLASSIFIER, "threshold", value=float("inf")),
    "the threshold a text": put(CLASSIFIER, "threshold", value="1.5"),
    "a threshold infinite": put(
        CLASSIFIER, "thresholds", "borders", "threshold", value=-float("inf")
    ),
    "a count negative": put(CLASSIFIER, "thresholds", "borders", "fitted_on", value=-1),
    "a count a truth": put(CLASSIFIER, "thresholds", "borders", "fitted_on", value=True),
    "a count huge": put(CLASSIFIER, "thresholds", "borders", "fitted_on", value=2**70),
    "thresholds a list": put(CLASSIFIER, "thresholds", value=[]),
    "a relation unknown": put(
        CLASSIFIER, "thresholds", "b0rders", value={"threshold": 1.0, "fitted_on": 1}
    ),
    "kind unknown": put(CLASSIFIER, "kind", value="worldly"),
    "kind a list": put(CLASSIFIER, "kind", value=["local"]),
    "kind without shifts": put(CLASSIFIER, "kind", value="relation"),
    "kind of other shifts": put(CLASSIFIER, "kind", value="names"),
    "unseen unknown": put(CLASSIFIER, "unseen", value="magic"),
    "shifts too short": put(CLASSIFIER, SHIFTS, "pooled", value=[1.0]),
    "shifts of text": put(CLASSIFIER, SHIFTS, "pooled", value="abcd"),
    "shifts infinite": put(CLASSIFIER, SHIFTS, "own", "capital", 0, value=float("inf")),
    "method unknown": put(CLASSIFIER, "calibration", "method", value="magic"),
    "method of other curves": put(CLASSIFIER, "calibration", "method", value="platt"),
    "a curve that falls": put(CLASSIFIER, *CURVE, "shares", value=[0.9, 0.5, 0.1]),
    "a curve that turns back": put(CLASSIFIER, *CURVE, "margins", value=[2.0, 0.5, -1.0]),
    "a curve above 1": put(CLASSIFIER, *CURVE, "shares", value=[0.1, 0.5, 1.5]),
    "a curve of unequal lengths": put(CLASSIFIER, *CURVE, "shares", value=[0.1, 0.5]),
    "a curve of nothing": put(CLASSIFIER, *CURVE, value={"margins": [], "shares": []}),
    "a curve a number": put(CLASSIFIER, *CURVE, value=1),
    "a classifier that is none": text(CLASSIFIER, "[]"),
    "probabilities that fall": put(CHANCES, "tail", "pooled", "gap", value=-0.5),
    "probabilities infinite": put(CHANCES, "tail", "pooled", "lead", value=float("inf")),
    "probabilities of an unknown relation": put(CHANCES, "head", "own", value={"b0rders": {}}),
    "probabilities of no heads": drop(CHANCES, "head"),
    "probabilities off by 2": put(CHANCES, "tail", "reliability", "error", value=2),
    "probabilities of a list": text(CHANCES, "[]"),
    "a classifier too long": lambda folder: os.truncate(folder / CLASSIFIER, 65 << 20),
}


@pytest.mark.parametrize("name", ALTERATIONS)
def test_an_altered_folder_is_refused_in_a_sentence(folder, name):
    ALTERATIONS[name](folder)
    seal(folder)
    with pytest.raises(StoreError) as refused:
        transa.load(folder)
    sentence = str(refused.value)
    assert sentence.startswith(f"{folder}: ")
    assert len(sentence) < len(str(folder)) + 400
    assert "\n" not in sentence


def test_relations_are_told_by_label_and_so_only_once(folder):
    plain = json.loads((folder / CLASSIFIER).read_text())
    plain["thresholds"]["touches"] = {"threshold": 9.0, "fitted_on": 9}
    named = transa.Vocabulary("relation", ["borders", "capital"], ["touches", "rules"])
    with pytest.raises(StoreError, match="by their labels"):
        classifier_of(plain, named)


def test_what_is_not_altered_is_loaded(folder):
    assert transa.load(folder).learnt_.classifier.kind == "local"


@pytest.mark.parametrize(
    "name", [CONFIG, "checksums.json", "log.jsonl", CLASSIFIER, TRIPLES, "parameters.safetensors"]
)
@pytest.mark.parametrize("what", ["pipe", "folder", "device"])
def test_only_regular_files_are_opened(folder, fitted, name, what):
    (folder / name).rename(folder.parent / "moved")
    match what:
        case "pipe":
            os.mkfifo(folder / name)
        case "folder":
            (folder / name).mkdir()
        case "device":
            (folder / name).symlink_to("/dev/zero")
    for read in (transa.load, store.inspect, lambda place: transa.load(place, sha256="0" * 64)):
        with pytest.raises(StoreError):
            read(folder)
    if name == CONFIG:
        with pytest.raises(StoreError, match="other than a model"):
            fitted.save(folder)


@pytest.mark.parametrize("name", [*store._FILES, "checksums.json", CLASSIFIER])
def test_a_file_that_swelled_is_refused_unread(folder, name):
    os.truncate(folder / name, 1 << 38)
    before = _bytes_read()
    for read in (transa.load, store.inspect):
        with pytest.raises(StoreError, match=re.escape(str(folder))):
            read(folder)
    assert _bytes_read() - before < 1 << 28


def _bytes_read():
    counted = Path("/proc/self/io").read_text().split()
    return int(counted[counted.index("rchar:") + 1])


def test_files_behind_links_are_read(folder, fitted):
    """As caches and data stores keep them: the folder has names, another place the bytes."""
    store_of_bytes = folder.parent / "blobs"
    store_of_bytes.mkdir()
    for file in list(folder.iterdir()):
        file.rename(store_of_bytes / file.name)
        file.symlink_to(store_of_bytes / file.name)
    loaded = transa.load(folder, sha256=store.sha256_of(folder))
    assert loaded.learnt_.classifier.kind == "local"
    np.testing.assert_array_equal(loaded.parameters_["entity"], fitted.parameters_["entity"])
    (folder / TRIPLES).unlink()
    (folder / TRIPLES).symlink_to(store_of_bytes / "config.json")
    with pytest.raises(StoreError, match="is not as it was written"):
        transa.load(folder)


@pytest.mark.parametrize("target", ["nowhere", TRIPLES])
def test_a_link_that_leads_nowhere_is_no_file(folder, target):
    (folder / TRIPLES).unlink()
    (folder / TRIPLES).symlink_to(target)
    with pytest.raises(StoreError, match="is missing"):
        transa.load(folder)


def test_a_folder_behind_a_link_is_a_folder(folder):
    (folder.parent / "latest").symlink_to(folder)
    assert transa.load(folder.parent / "latest").graph_.name == "atlas"


def test_checksums_are_checksums(folder):
    content = json.loads((folder / "checksums.json").read_text())
    for wrong in (None, 1, "0", "z" * 64):
        # Also of large tables, which are not read.
        (folder / "checksums.json").write_text(
            json.dumps(content | {"parameters.safetensors": wrong})
        )
        with pytest.raises(StoreError, match=r"checksums\.json"):
            transa.load(folder)


def test_a_pinned_folder_is_that_folder_to_its_last_byte(folder, monkeypatch):
    pinned = store.sha256_of(folder)
    assert transa.load(folder, sha256=pinned).graph_.name == "atlas"
    monkeypatch.setattr(store, "_READ_ON_LOAD", 10)
    os.truncate(folder / "parameters.safetensors", 400)
    with pytest.raises(StoreError, match=r"parameters\.safetensors is not as it was written"):
        transa.load(folder, sha256=pinned)
    put(CLASSIFIER, "threshold", value=1.75)(folder)
    seal(folder)
    with pytest.raises(StoreError, match="not the folder that the sha256 is of"):
        transa.load(folder, sha256=pinned)
    with pytest.raises(StoreError, match="no such folder"):
        transa.load(folder / "elsewhere", sha256=pinned)
    for wrong in ("abc", 5, pinned[:-1]):
        with pytest.raises(ConfigError, match="`transa info` prints"):
            transa.load(folder, sha256=wrong)


STRANGE = [
    None, True, False, 0, -1, 1, 7, 10**9, 10**30, 10**400, 0.5, -0.0, 1e308, float("nan"),
    float("inf"), "", "x", "1", "adaptive", "transe", "transr", "\ud800", "9" * 5000, [], [1], [[]],
    {}, {"kind": "fixed"}, {"x": {}},
]  # fmt: skip


def places(content, path=()):
    """Every place in parsed JSON."""
    inner = content.items() if isinstance(content, dict) else ()
    inner = enumerate(content) if isinstance(content, list) else inner
    for key, value in inner:
        yield (*path, key)
        yield from places(value, (*path, key))


@pytest.mark.parametrize("file", [CONFIG, CLASSIFIER, CHANCES, "log.jsonl"])
def test_whatever_stands_in_a_file_it_is_loaded_or_refused(folder, file):
    chance = random.Random(file)
    kept = (folder / file).read_text()
    lines = kept.splitlines() if file == "log.jsonl" else [kept]
    refused = 0
    for _ in range(150):
        content = [json.loads(line) for line in lines]
        for _ in range(chance.choice((1, 1, 2))):
            *path, last = chance.choice([*places(content)])
            at(content, *path)[last] = chance.choice(STRANGE)
        (folder / file).write_text("\n".join(map(json.dumps, content)))
        seal(folder)
        with suppress(StoreError):
            config = store.inspect(folder)
            assert info_table(config, {"thresholds": "kept"}, sha256="").row_count
            store.settings_of(config)
        try:
            transa.load(folder)
        except StoreError:
            refused += 1
    assert refused > 75
