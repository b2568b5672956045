"""The model card."""

from __future__ import annotations

import pytest
import yaml

import transa
from transa.cli.app import run
from transa.exchange.card import write_card


@pytest.fixture
def command(call_in_process):
    return call_in_process(run)


def head_of(path):
    _, head, body = path.read_text().split("---\n", 2)
    return yaml.safe_load(head), body


def test_a_card_tells_what_the_model_is_and_how_good(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    head, body = head_of(write_card(tmp_path / "model"))
    assert head["library_name"] == "transa"
    (result,) = head["model-index"][0]["results"]
    values = {metric["type"]: metric["value"] for metric in result["metrics"]}
    assert values["mrr"] == pytest.approx(fitted.evaluate().filtered.mrr, abs=1e-4)
    assert "12 entities, 2 relations" in body
    assert 'model.predict_tails("France", "borders")' in body
    settings = body.split("```yaml\n")[1].split("```")[0]
    assert yaml.safe_load(settings)["dim"] == 8


def test_a_card_says_when_the_test_facts_leak(command, triples, tmp_path):
    options = ("--dim", 4, "--epochs", 1, "--threads", 1, "--quiet", "--out", tmp_path / "m")
    command("train", triples, *options)
    done = command("card", tmp_path / "m", "--json")
    _, body = head_of(tmp_path / "m" / "README.md")
    assert done.json == {"file": str(tmp_path / "m" / "README.md")}
    assert "Mind that" in body
    assert "can be copied from train" in body
    assert "model card: " in command("card", tmp_path / "m").err


def test_a_card_without_test_facts(tmp_path):
    graph = transa.from_labels([('say "a"', "r", "b"), ("b", "r", "c")], split=None)
    transa.TransE(dim=2, epochs=1, threads=1).fit(graph).save(tmp_path / "m")
    head, body = head_of(write_card(tmp_path / "m"))
    assert "model-index" not in head
    assert "nothing was measured" in body


def test_a_model_that_is_saved_anew_loses_its_card_and_not_others_notes(fitted, tmp_path):
    folder = tmp_path / "model"
    fitted.save(folder)
    write_card(folder)
    fitted.save(folder)
    assert not (folder / "README.md").exists()
    (folder / "README.md").write_text("mine")
    fitted.save(folder)
    assert (folder / "README.md").read_text() == "mine"
