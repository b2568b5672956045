"""`transa search`."""

from __future__ import annotations

import os
import signal

import pytest
import yaml

from transa.cli.commands.learning import search as module


@pytest.fixture
def searched(command, triples, tmp_path):
    """Search the settings of TransE for a moment."""

    def call(*options):
        few = ("--models", "transe", "--threads", 1, "--out", tmp_path / "s")
        return command("search", triples, *few, *options)

    return call


def test_a_table_a_model_and_a_config_file(command, searched, triples, tmp_path):
    done = searched("--trials", 2)
    assert done.code == 0
    assert "Which model: each by its defaults" in done.out
    assert "transe: MRR" in done.err
    assert f"--config {tmp_path / 's' / 'config.yaml'}" in done.err
    config = tmp_path / "s" / "config.yaml"
    again = command("train", triples, "--config", config, "--out", tmp_path / "m", "--json")
    assert again.code == 0
    epochs = yaml.safe_load(config.read_text())["epochs"]
    assert again.json["training"]["epochs"] == epochs
    assert command("evaluate", tmp_path / "s" / "model").code == 0


def test_for_machines(searched):
    done = searched("--trials", 1, "--quiet", "--json")
    assert (done.code, done.err) == (0, "")
    assert done.json["winner"]["model"] == done.json["candidates"][0]["model"] == "transe"
    assert 0 < done.json["test"]["mrr"] <= 1


def test_a_signal_leaves_the_best_so_far(searched, monkeypatch):
    monkeypatch.setattr(module, "_tell", lambda _: os.kill(os.getpid(), signal.SIGTERM))
    done = searched()
    assert done.code == 128 + signal.SIGTERM
    assert "the best so far is in" in done.err
    assert "Which model" in done.out


def test_what_is_refused(command, searched, triples, tmp_path):
    assert searched("--minutes", 0).is_refused("minutes is a positive number")
    assert command("search", triples, "--models", "transx").is_refused("did you mean 'trans")
    assert command("search", triples, "--split", "1,0,0").is_refused("no validation triples")
    assert command("prepare", triples, "--out", tmp_path / "p", "--partitions", 2).code == 0
    assert command("search", tmp_path / "p").is_refused("a search trains in memory")
