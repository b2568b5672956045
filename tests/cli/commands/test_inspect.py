"""`transa inspect`, and the warning of `transa train`."""

from __future__ import annotations

import json

import pytest

import transa


def test_a_named_graph(command):
    found = command("inspect", "countries", "--json").json
    assert found == json.loads(json.dumps(transa.inspect("countries").to_dict()))
    assert "Relations" in command("inspect", "countries").out


def test_a_file_with_its_options(command, triples, tmp_path):
    done = command("inspect", triples, "--columns", "2,1,0", "--split", "0.5,0.2,0.3", "--json")
    assert [split["facts"] for split in done.json["splits"]] == [60, 24, 36]
    tables = command("inspect", triples, "--relations").out
    assert "near, turned round" in tables
    assert "leads back" in tables


def test_what_train_would_refuse_is_told(command, triples, tmp_path):
    test = tmp_path / "test.tsv"
    test.write_text("t1\tnear\tnowhere\n")
    assert command("train", triples, "--test", test).is_refused("does not occur in train")
    found = command("inspect", triples, "--test", test, "--json").json
    assert found["splits"][1]["unseen"] == 1
    refused = command("inspect", triples, "--test", test, "--unseen", "error")
    assert refused.is_refused("does not occur in train")


def test_a_graph_that_is_not_there(command):
    assert command("inspect", "contries").is_refused("did you mean", "countries")


@pytest.mark.parametrize("split", ["0.8,0.1,0.1", "1,0,0"])
def test_a_figure(command, triples, tmp_path, split):
    image = pytest.importorskip("matplotlib.image", reason="the extra 'figures' is not installed")
    path = tmp_path / "f.png"
    done = command("inspect", triples, "--split", split, "--figure", path)
    assert f"figure: {path}" in done.err
    pixels = image.imread(path)[..., :3]
    third = pixels.shape[1] // 3
    for part in (pixels[:, :third], pixels[:, third : 2 * third]):
        assert (part < 0.95).any(axis=-1).mean() > 0.01
    assert command("inspect", triples, "--figure", "x.gif").is_refused("a figure is one of")


def test_train_warns_where_test_facts_can_be_copied(command, triples, tmp_path):
    options = ("--epochs", 1, "--dim", 4, "--threads", 1)
    leaky = command("train", triples, *options, "--out", tmp_path / "leaky")
    assert "warning: " in leaky.err
    assert "of the test facts can be copied from train" in leaky.err
    sound = command("train", "countries", *options, "--out", tmp_path / "sound")
    assert "warning" not in sound.err


def test_train_does_not_make_a_large_graph_wait(command, triples, tmp_path, monkeypatch):
    monkeypatch.setattr("transa.cli.training_run._MOST_LOOKED_AT", 100)
    options = ("--epochs", 1, "--dim", 4, "--threads", 1, "--out", tmp_path / "large")
    assert "warning" not in command("train", triples, *options).err
