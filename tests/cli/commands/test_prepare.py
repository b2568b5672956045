"""`transa prepare`, and training on what it wrote."""

from __future__ import annotations

import pytest


@pytest.fixture
def prepared(command, triples, tmp_path):
    done = command("prepare", triples, "--out", tmp_path / "big", "--partitions", 3, "--json")
    assert done.code == 0, done.err
    assert done.json["partitions"] == 3
    assert done.json["entities"] == 12
    return tmp_path / "big"


def test_from_a_file_to_answers(command, prepared, tmp_path):
    model = tmp_path / "model"
    quick = ("--epochs", 3, "--dim", 8, "--threads", 1, "--memory", "1GB")
    done = command("train", prepared, "--out", model, *quick)
    assert done.code == 0, done.err
    assert "3 partitions of 4 entities, 3 of them in memory" in done.err
    # As of the same graph in memory.
    assert "chosen for" in done.err
    assert "transe: dim 8, reciprocal True" in done.err
    assert not (tmp_path / "model.training").exists()
    assert command("evaluate", model, "--json").json["link_prediction"]["filtered"]["mrr"] > 0
    asked = command("predict", model, "--head", "t1", "--relation", "near", "--json")
    assert asked.json["predictions"]
    assert command("similar", model, "t1").code == 0
    assert command("info", model, "--json").json["format"] == 3


def test_training_prepares_what_is_not(command, triples, tmp_path):
    quick = ("--epochs", 2, "--dim", 8, "--threads", 1, "--partitions", 3, "--json")
    done = command("train", triples, "--out", tmp_path / "model", *quick)
    assert done.code == 0, done.err
    assert (tmp_path / "model.prepared" / "prepared.json").exists()


def test_what_does_not_go_together_is_refused(command, prepared, triples, tmp_path):
    out = ("--out", tmp_path / "model")
    assert command("train", prepared, *out, "--split", "0.8,0.1,0.1").is_refused("prepare")
    assert command("train", triples, *out, "--memory", "1GB", "--unseen", "keep").is_refused(
        "unseen"
    )
    assert command("train", prepared, *out, "--memory", "much").is_refused("4GB")
    assert command("train", prepared, *out, "--memory", "1MB").is_refused("more partitions")
    assert command("prepare", triples, "--out", triples.parent).is_refused("something else")
    # How much is needed is known when all is read: without --quiet that is told before.
    small = ("--out", tmp_path / "x", "--memory", "1MB", "--quiet")
    assert command("prepare", triples, *small).is_refused("bucket")


def test_it_says_what_it_does(command, triples, tmp_path):
    done = command("prepare", triples, "--out", tmp_path / "big")
    assert done.code == 0
    assert "read" in done.err
    assert "transa train" in done.err
    assert command("prepare", triples, "--out", tmp_path / "quiet", "--quiet").err == ""
