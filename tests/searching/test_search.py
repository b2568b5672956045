"""A search from its first candidates to its winner, and what may come between."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest
import yaml

import transa
from transa.errors import ConfigError, InputError, StoreError, TrainingError
from transa.files.locks import locked
from transa.searching.record import Record, digest
from transa.searching.result import SearchResult
from transa.searching.space import Space
from transa.searching.study import Studies
from transa.settings.by_size import GraphSize, settings_for

FEW = ["transe", "transa"]


@pytest.fixture(scope="module")
def found(road, tmp_path_factory) -> SearchResult:
    out = tmp_path_factory.mktemp("search") / "road"
    return transa.search(road, out, trials=4, models=FEW, threads=1)


def test_its_first_answer_is_a_table_of_candidates(found):
    assert {row.model for row in found.candidates} == {*FEW}
    assert found.candidates[0].mrr >= found.candidates[1].mrr > 0
    assert all(row.seconds > 0 and row.megabytes > 0 for row in found.candidates)
    text = str(found)
    assert "Which model: each by its defaults" in text
    assert f"test MRR {found.test['mrr']:.3f}" in text
    assert found.candidates.to_polars().height == len(FEW)


def test_then_settings_are_searched(found):
    assert len(found.searched) >= 1
    assert all(row.chosen for row in found.searched)
    best = max(row.mrr for row in found.record.trials if row.mrr is not None)
    assert found.winner.mrr == best
    assert json.loads(json.dumps(found.to_dict()))["winner"]["mrr"] == best


def test_the_winner_is_a_model_folder(found, road):
    winner = found.load()
    assert winner.settings_.model == found.winner.model
    assert winner.evaluate(threads=1).filtered.mrr == pytest.approx(found.test["mrr"])
    assert winner.probabilities_ is not None
    assert winner.learnt_.training.history[-1].best == found.winner.mrr


def test_its_settings_are_a_config_file(found):
    config = yaml.safe_load(found.config.read_text())
    winner = found.load().settings_
    assert config["model"] == winner.model
    assert config["epochs"] == winner.recipe.epochs
    for name, value in found.winner.chosen.items():
        if name not in ("margin", "epochs"):
            assert config[name] == pytest.approx(value, rel=0.01)


def test_it_goes_on_where_it_was(found, road):
    before = found.record.trials
    again = transa.search(road, found.folder, minutes=0.001, models=FEW, threads=1)
    assert again.record.trials == before, "its minutes are over"
    assert again.test == found.test
    more = transa.search(road, found.folder, trials=5, models=FEW, threads=1)
    assert more.record.trials[:4] == before
    assert len(more.record.trials) == 5
    assert more.record.seconds > again.record.seconds
    assert len(more.candidates) == len(FEW), "no defaults are tried twice"


def test_several_at_a_time(road, tmp_path):
    told = []
    found = transa.search(
        road, tmp_path / "s", trials=4, models=FEW, parallel=2, threads=2, report=told.append
    )
    assert {row.model for row in found.candidates} == {*FEW}
    assert found.record.trials == tuple(told)
    assert [row.number for row in told] == [*range(1, len(told) + 1)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_the_best_so_far(road, tmp_path, number):
    def interrupt(_):
        os.kill(os.getpid(), number)

    found = transa.search(road, tmp_path / "s", minutes=5, models=FEW, threads=1, report=interrupt)
    assert found.stopped
    assert found.test is None, "to rank takes time"
    assert len(found.record.trials) < len(FEW) + 2
    assert found.load().predict_tails("t3", "near", k=1)
    more = transa.search(road, found.folder, trials=4, models=FEW, threads=1)
    assert {row.model for row in more.candidates} == {*FEW}
    assert more.test is not None


def test_a_kill_costs_the_trial_in_hand(road, tmp_path):
    file, out = tmp_path / "road.tsv", tmp_path / "s"
    for split in ("train", "valid", "test"):
        labels, relations = road.entities.labels, road.relations.labels
        rows = [
            f"{labels[h]}\t{relations[r]}\t{labels[t]}\n" for h, r, t in road.split(split).tolist()
        ]
        file.with_suffix("").mkdir(exist_ok=True)
        (file.with_suffix("") / f"{split}.txt").write_text("".join(rows))
    code = (
        f"import transa; transa.search({str(file.with_suffix(''))!r}, {str(out)!r}, minutes=9, "
        f"models={FEW!r}, threads=1)"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as child:
        while child.poll() is None and not (out / "config.yaml").exists():
            time.sleep(0.05)
        child.kill()
    graph = transa.load_graph(file.with_suffix(""))
    assert transa.load(out / "model").graph_.n_entities == graph.n_entities
    found = transa.search(graph, out, trials=3, models=FEW, threads=1)
    assert {row.model for row in found.candidates} == {*FEW}


def test_what_was_under_way_is_tried_again(tmp_path):
    space = Space.round(settings_for("distmult", {}, GraphSize(2_000, 100)).settings)

    def studies():
        return Studies(tmp_path / "study.db", "a graph", 0)

    first = studies()
    asked = [first.ask("distmult", space, True), first.ask("distmult", space, False)]
    first.close()
    second = studies()
    again = second.ask("distmult", space, False)
    assert again.chosen == asked[1].chosen
    assert asked[0].chosen == space.begin
    second.close()
    with pytest.raises(StoreError, match="another graph, or by another version"):
        Studies(tmp_path / "study.db", "another", 0).ask("distmult", space, False)


def test_seeds_decide_what_is_tried(tmp_path):
    space = Space.round(settings_for("distmult", {}, GraphSize(2_000, 100)).settings)
    chosen = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        studies = Studies(tmp_path / f"{name}.db", "a graph", seed)
        chosen.append(studies.ask("distmult", space, False).chosen)
        studies.close()
    assert chosen[0] == chosen[1] != chosen[2]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"trials": 0}, ConfigError, "trials is a whole number"),
        ({"minutes": 0}, ConfigError, "minutes is a positive number"),
        ({"parallel": 0}, ConfigError, "parallel is a whole number"),
        ({"models": ["trans"]}, ConfigError, "no model 'trans'; did you mean"),
        ({"models": []}, ConfigError, "models is empty"),
        ({"seed": -1}, ConfigError, "seed is not negative"),
        ({"minutes": 1e-9}, TrainingError, "give it more minutes"),
    ],
)
def test_what_cannot_be_searched_is_refused(road, tmp_path, options, error, words):
    with pytest.raises(error, match=words):
        transa.search(road, tmp_path / "s", **{"models": "transe", **options})


def test_folders_and_graphs_that_will_not_do(road, off_road, found, tmp_path):
    alone = transa.from_labels([("a", "r", "b"), ("b", "r", "a")], split=None)
    with pytest.raises(InputError, match="has no validation triples"):
        transa.search(alone, tmp_path / "s")
    with pytest.raises(StoreError, match="a search over another graph, 'road'"):
        transa.search(off_road, found.folder)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("Dear")
    with pytest.raises(StoreError, match="something other than a search"):
        transa.search(road, tmp_path / "mine")
    with locked(tmp_path / "taken"), pytest.raises(StoreError, match="is writing it"):
        transa.search(road, tmp_path / "taken")
    for change in ({"format": 99}, {"winner": 99}, {"trials": 3}):
        place = tmp_path / "changed"
        place.mkdir(exist_ok=True)
        record = Record("road", digest(road))
        record.write(place)
        plain = {**json.loads((place / "search.json").read_text()), **change}
        (place / "search.json").write_text(json.dumps(plain))
        with pytest.raises(StoreError):
            transa.search(road, place)
