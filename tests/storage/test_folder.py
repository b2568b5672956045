"""The model folder."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

import transa
from transa.errors import StoreError
from transa.margins import Adaptive, Fixed
from transa.storage import folder as store

FILES = (
    "config.json",
    "parameters.safetensors",
    "entities.parquet",
    "relations.parquet",
    "triples.parquet",
    "log.jsonl",
    "probabilities.json",
)


@pytest.fixture
def folder(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    return tmp_path / "model"


def rewrite(folder, name, change):
    """Change a JSON file, and its checksum with it."""
    content = json.loads((folder / name).read_text())
    change(content)
    (folder / name).write_text(json.dumps(content))
    checksums = {file: store._sha256(folder / file) for file in FILES}
    (folder / "checksums.json").write_text(json.dumps(checksums))


def test_everything_comes_back(fitted, folder):
    kept, was = store.load(folder), fitted.learnt_
    assert kept.settings == was.settings
    assert kept.training == was.training
    assert kept.model.tables.keys() == was.model.tables.keys()
    for name, table in was.model.tables.items():
        np.testing.assert_array_equal(kept.model.tables[name], table)
    kept, was = kept.model, was.model
    for split in ("train", "valid", "test"):
        np.testing.assert_array_equal(kept.graph.split(split), was.graph.split(split))
    for kind in ("entities", "relations"):
        back, before = getattr(kept.graph, kind), getattr(was.graph, kind)
        assert back.kind == before.kind
        assert [back.label(i) for i in range(len(back))] == before.labels.to_list()
        assert [back.display(i) for i in range(len(back))] == [
            before.display(i) for i in range(len(before))
        ]
    assert kept.graph.name == was.graph.name


def test_the_folder_is_what_the_documentation_says(folder):
    assert {file.name for file in folder.iterdir()} == {*FILES, "checksums.json"}
    for file in FILES:
        assert f"    {file} " in store.__doc__
    config = json.loads((folder / "config.json").read_text())
    # Only folders of graphs in partitions are of a newer one, which older versions refuse.
    assert config["format"] == 2 < store.FORMAT
    assert config["graph"] == {
        "name": "atlas", "entities": 12, "relations": 2, "train": 13, "valid": 2, "test": 1,
    }  # fmt: skip
    assert config["training"]["epochs"] == 6
    assert config["settings"]["margin"]["kind"] == "adaptive"


@pytest.mark.parametrize("name", FILES)
def test_a_changed_file_is_refused(folder, name):
    content = bytearray((folder / name).read_bytes())
    # In JSON the last byte is a line end: a space there leaves it valid, and changed all the same.
    content[-1] = ord(" ") if content[-1] == ord("\n") else content[-1] ^ 1
    (folder / name).write_bytes(content)
    with pytest.raises(StoreError, match=rf"{name} is not as it was written"):
        transa.load(folder)


@pytest.mark.parametrize("name", [*FILES, "checksums.json"])
def test_a_truncated_file_is_refused(folder, name):
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(StoreError, match=r"not as it was written|not a model folder|damaged"):
        transa.load(folder)


@pytest.mark.parametrize("name", [*FILES, "checksums.json"])
def test_a_missing_file_is_refused(folder, name):
    (folder / name).unlink()
    with pytest.raises(StoreError, match=rf"{name}"):
        transa.load(folder)


def test_a_newer_format_is_refused_before_anything_else_is_read(folder):
    config = json.loads((folder / "config.json").read_text())
    config.update(format=store.FORMAT + 1, transa="9.9")
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(StoreError, match=r"written by transa 9\.9.*upgrade"):
        transa.load(folder)


def test_what_is_not_a_model_folder_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "config.json").write_text('{"format": "of something else"}')
    for name, sentence in {
        "nowhere": "no such folder",
        "file": "a file, not a model folder",
        "other": "not a model folder",
    }.items():
        with pytest.raises(StoreError, match=sentence):
            transa.load(tmp_path / name)


@pytest.mark.parametrize(
    "change",
    [
        lambda config: config["settings"].update(dimm=3),
        lambda config: config.pop("training"),
        lambda config: config["graph"].pop("name"),
    ],
)
def test_a_config_that_makes_no_sense_is_refused(folder, change):
    rewrite(folder, "config.json", change)
    with pytest.raises(StoreError, match="not a folder that transa wrote"):
        transa.load(folder)


def test_tables_that_do_not_fit_the_graph_are_refused(fitted, tmp_path):
    fitted.save(tmp_path / "m")
    short = {name: table[:-1] for name, table in fitted.parameters_.items()}
    store.write_tables(tmp_path / "m" / "parameters.safetensors", short)
    rewrite(tmp_path / "m", "config.json", lambda config: None)
    with pytest.raises(StoreError, match="does not fit 12 entity rows"):
        transa.load(tmp_path / "m")


def test_a_model_that_is_not_registered_is_not_the_folders_fault(folder):
    rewrite(folder, "config.json", lambda config: config["settings"].update(model="weighed"))
    with pytest.raises(StoreError, match="'weighed', is not registered; import the module"):
        transa.load(folder)


@pytest.mark.parametrize(
    ("margin", "today"),
    [
        ({"kind": "adaptive", "mu": 0.25}, Adaptive(mu=0.25, local=0.5, halved_at=2.0)),
        ({"kind": "fixed", "value": 2.0}, Fixed(2.0)),
    ],
)
def test_a_folder_of_the_first_format_is_read(folder, margin, today):
    def as_it_was(config):
        config["format"] = 1
        config["settings"] |= {"model": "transa" if "mu" in margin else "transe"}
        config["settings"] |= {"margin": margin, "local": 0.5, "halved_at": 2.0}

    rewrite(folder, "config.json", as_it_was)
    assert transa.load(folder).settings.recipe.margin == today


def test_a_model_replaces_a_model(fitted, folder):
    model = replace(fitted.model_, graph=replace(fitted.graph_, name="other"))
    store.save(folder, replace(fitted.learnt_, model=model))
    assert transa.load(folder).graph_.name == "other"


def test_a_finished_model_can_be_protected_from_being_replaced(fitted, folder):
    with pytest.raises(StoreError, match=r"holds a finished model.*overwrite=True"):
        fitted.save(folder, overwrite=False)
    stopped = replace(fitted.learnt_.training, stopped="interrupted")
    store.save(folder, replace(fitted.learnt_, training=stopped))
    fitted.save(folder, overwrite=False)
    assert transa.load(folder).learnt_.training.stopped == fitted.learnt_.training.stopped


def test_what_a_user_put_into_the_folder_stays(fitted, folder):
    (folder / "notes.txt").write_text("the best so far")
    (folder / "figures").mkdir()
    (folder / "figures" / "one.svg").write_text("<svg/>")
    fitted.save(folder)
    assert (folder / "notes.txt").read_text() == "the best so far"
    assert (folder / "figures" / "one.svg").read_text() == "<svg/>"
    assert transa.load(folder).settings == fitted.settings
    # As a kill in the middle of a save leaves it.
    folder.rename(folder.with_name(f".{folder.name}.old"))
    fitted.save(folder)
    assert (folder / "notes.txt").read_text() == "the best so far"


def test_a_model_does_not_replace_anything_else(fitted, tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("years of work")
    (tmp_path / "file").write_text("")
    for name in ("thesis", "file"):
        with pytest.raises(StoreError, match="choose another"):
            fitted.save(tmp_path / name)
    assert (tmp_path / "thesis" / "chapter.txt").read_text() == "years of work"
    (tmp_path / "empty").mkdir()
    fitted.save(tmp_path / "empty")
    assert transa.load(tmp_path / "empty").graph_.name == "atlas"


def test_a_save_that_fails_leaves_the_old_model(fitted, folder):
    unwritable = replace(fitted.learnt_.training, history=(object(),))
    with pytest.raises(TypeError):
        store.save(folder, replace(fitted.learnt_, training=unwritable))
    assert transa.load(folder).graph_.name == "atlas"
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


def test_a_kill_at_any_moment_leaves_a_model(folder):
    save_for_ever = (
        "import sys, transa\n"
        "model = transa.load(sys.argv[1])\n"
        "print('ready', flush=True)\n"
        "while True: model.save(sys.argv[1])\n"
    )
    for wait in (0.004, 0.019):
        command = [sys.executable, "-c", save_for_ever, str(folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            time.sleep(wait)
            process.send_signal(signal.SIGKILL)
        assert transa.load(folder).graph_.name == "atlas"


def test_a_model_can_be_moved(fitted, folder, tmp_path):
    shutil.move(folder, tmp_path / "elsewhere")
    assert transa.load(tmp_path / "elsewhere").settings == fitted.settings


def test_to_load_and_ask_takes_neither_kernels_nor_training(folder):
    ask = (
        "import sys, transa\n"
        "model = transa.load(sys.argv[1])\n"
        "assert len(model.predict_tails('France', 'borders', k=3)) == 3\n"
        "assert len(model.predict_relations('France', 'Spain', known=True)) == 2\n"
        "assert len(model.similar('France', k=2)) == 2 and len(model.score_samples([])) == 0\n"
        "heavy = {'numba', 'torch', 'safetensors', 'transa.training', 'transa.ranking'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    command = [sys.executable, "-c", ask, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_large_tables_are_not_read_when_loaded_but_when_inspected(folder, monkeypatch):
    file = folder / "parameters.safetensors"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    monkeypatch.setattr(store, "_READ_ON_LOAD", 10)
    assert transa.load(folder).graph_.name == "atlas"
    with pytest.raises(StoreError, match=r"parameters\.safetensors is not as it was written"):
        store.inspect(folder)
    file.write_bytes(content[:-4])
    with pytest.raises(StoreError, match="not the tables of a model"):
        transa.load(folder)


def test_a_loaded_model_cannot_be_changed(fitted, folder):
    for model in (fitted, transa.load(folder)):
        with pytest.raises(ValueError, match="read-only"):
            model.parameters_["entity"][0] = 0
