"""`transa update`."""

from __future__ import annotations

import pytest

import transa


@pytest.fixture
def new_facts(tmp_path):
    file = tmp_path / "new.tsv"
    file.write_text("Monaco\tborders\tfr\nfr\tborders\tMonaco\nfr\tborders\tes\nes\tlikes\tfr\n")
    return file


def test_the_folder_is_replaced(command, folder, new_facts):
    done = command("update", folder, new_facts)
    assert done.code == 0
    assert "3 new facts with 1 new entities, 1 new relations" in done.err
    assert "1 were known already" in done.err
    assert transa.load(folder).graph_.entities.id("Monaco") == 12
    assert command("predict", folder, "--head", "Monaco", "--relation", "borders").code == 0
    assert command("update", folder, new_facts).is_refused("none of the triples is new")


def test_or_left_as_it_is(command, folder, new_facts, tmp_path):
    before = transa.storage.folder.sha256_of(folder)
    done = command("update", folder, new_facts, "--out", tmp_path / "later", "--json")
    assert done.json["facts"] == 3
    assert (done.json["entities"], done.json["relations"], done.json["left_out"]) == (1, 1, 1)
    assert transa.storage.folder.sha256_of(folder) == before
    assert len(transa.load(tmp_path / "later").graph_.train) > 3
    again = command("update", folder, new_facts, "--out", tmp_path / "later")
    assert again.is_refused("holds a model; choose another folder")


def test_thresholds_that_go_are_told_of(command, fitted, folder, new_facts):
    model = transa.load(folder).fit_thresholds()
    model.save(folder)
    done = command("update", folder, new_facts)
    assert "the thresholds are gone, since a relation is new" in done.err


def test_what_is_no_file_of_facts_is_refused(command, folder, tmp_path):
    assert command("update", folder, tmp_path / "none.tsv").is_refused("none.tsv")
    assert command("update", tmp_path, folder / "config.json").code == 2
