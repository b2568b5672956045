"""Pushing and pulling models, with the hub's own client and a hub on this machine."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import transa
from tests.exchange.hub_server import TOKEN, hub_server
from transa.cli.app import run
from transa.errors import ConfigError, DownloadError, StoreError
from transa.exchange import hub as exchange
from transa.exchange.card import write_card
from transa.prepared.graph import PreparedGraph
from transa.prepared.prepare import Plan, prepare

REPO = "ann/atlas"


@pytest.fixture
def hub(monkeypatch, tmp_path):
    with hub_server() as (address, held):
        monkeypatch.setenv("HF_ENDPOINT", address)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        monkeypatch.setenv("HF_HUB_DISABLE_PROGRESS_BARS", "1")
        monkeypatch.setenv("TRANSA_CACHE", str(tmp_path / "cache"))
        yield held


@pytest.fixture
def command(call_in_process):
    return call_in_process(run)


@pytest.fixture
def folder(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    return tmp_path / "model"


def test_there_and_back(hub, fitted, tmp_path):
    url = fitted.push(REPO, private=True)
    assert REPO in url
    assert hub.private == {REPO}
    back = transa.load(f"hf://{REPO}")
    assert np.array_equal(back.parameters_["entity"], fitted.parameters_["entity"])
    (files,) = hub.repositories[REPO].values()
    assert "README.md" in files
    assert b"# atlas" in files["README.md"]


def test_a_graph_in_partitions_goes_with_its_model(hub, atlas, tmp_path):
    graph = prepare(atlas, tmp_path / "prepared", Plan(partitions=3))
    model = transa.TransE(dim=4, epochs=2, threads=1).fit(graph)
    model.push(REPO)
    back = transa.load(f"hf://{REPO}")
    assert isinstance(back.graph_, PreparedGraph)
    assert back.evaluate().to_dict() == model.evaluate().to_dict()


def test_a_revision_stays_what_it_was(hub, fitted, atlas):
    fitted.push(REPO)
    (first,) = hub.repositories[REPO]
    transa.TransE(dim=4, epochs=1, threads=1).fit(atlas).push(REPO)
    assert len(hub.repositories[REPO]) == 2
    assert transa.load(f"hf://{REPO}").settings_.model == "transe"
    assert transa.load(f"hf://{REPO}@{first}").settings_.model == "transa"


def test_a_model_is_fetched_once(hub, fitted):
    fitted.push(REPO)
    (sha,) = hub.repositories[REPO]
    transa.load(f"hf://{REPO}")
    hub.repositories[REPO][sha].clear()
    assert transa.load(f"hf://{REPO}").graph_.name == "atlas"


def test_the_commands(hub, command, folder, tmp_path):
    (folder / "secret.txt").write_text("of mine")
    done = command("push", folder, REPO, "--json")
    assert done.json["repo"] == REPO
    (files,) = hub.repositories[REPO].values()
    assert "secret.txt" not in files
    assert (folder / "README.md").exists()
    pulled = command("pull", REPO, tmp_path / "again", "--json").json
    assert pulled["sha256"] == command("info", folder, "--json").json["sha256"]
    assert sorted(path.name for path in (tmp_path / "again").iterdir()) == sorted(files)
    assert "transa info" in command("pull", REPO, tmp_path / "more").err
    assert command("pull", REPO, tmp_path / "more").is_refused("finished model", "--overwrite")
    assert command("pull", REPO, tmp_path / "more", "--overwrite").code == 0
    assert "pushed: http" in command("push", folder, REPO).err


def test_the_commands_in_a_process_of_their_own(hub, folder, tmp_path):
    program = [sys.executable, "-m", "transa"]
    subprocess.run([*program, "push", str(folder), REPO], check=True, capture_output=True)
    subprocess.run([*program, "pull", REPO, str(tmp_path / "b")], check=True, capture_output=True)
    assert transa.load(tmp_path / "b").graph_.name == "atlas"


def test_what_is_not_there_is_one_sentence(hub, command, tmp_path):
    assert command("pull", "ann/nothing", tmp_path / "x").is_refused("ann/nothing: the hub")
    assert not (tmp_path / "x").exists()
    with pytest.raises(DownloadError, match="ann/nothing: the hub could not be asked"):
        transa.load("hf://ann/nothing")


def test_what_is_no_model_is_one_sentence(hub, command, tmp_path):
    hub.repositories["ann/cat"] = {}
    hub.commit("ann/cat", {"README.md": b"# A cat"})
    done = command("pull", "ann/cat", tmp_path / "x")
    assert done.is_refused("ann/cat on the hub is no model of transa", "no readable config.json")
    assert not (tmp_path / "x").exists()


def test_without_leave_to_write(hub, folder, monkeypatch, command):
    monkeypatch.setenv("HF_TOKEN", "hf_of_somebody")
    assert command("push", folder, REPO).is_refused("ann/atlas: the hub could not be asked", "401")


def test_no_hub_at_all(folder, command, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    assert command("push", folder, REPO).is_refused("the hub could not be asked")


def test_names_and_places_are_checked_first(folder, tmp_path):
    with pytest.raises(ConfigError, match="owner/name"):
        exchange.push(folder, "atlas")
    with pytest.raises(StoreError, match="no such folder"):
        exchange.push(tmp_path / "nowhere", REPO)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "x").touch()
    with pytest.raises(StoreError, match="something other than a model"):
        exchange.pull(REPO, tmp_path / "mine")


def test_a_card_of_ones_own_is_pushed_as_it_is(hub, folder):
    (folder / "README.md").write_text("# Mine")
    exchange.push(folder, REPO)
    (files,) = hub.repositories[REPO].values()
    assert files["README.md"] == b"# Mine"
    with pytest.raises(StoreError, match="written by somebody else"):
        write_card(folder)
