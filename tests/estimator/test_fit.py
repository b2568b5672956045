"""Estimators that learn: from what, and what is kept of it."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

import transa
from transa import TransA, TransE
from transa.errors import (
    ConfigError,
    InputError,
    NotFittedError,
    UnknownNameError,
)
from transa.estimator import ESTIMATORS


def test_before_fit_there_is_nothing_learnt():
    model = TransA()
    assert not hasattr(model, "graph_")
    for ask in (
        lambda: model.parameters_,
        lambda: model.predict_tails("a", "b"),
        lambda: model.score_samples([("a", "b", "c")]),
        lambda: model.save("nowhere"),
    ):
        with pytest.raises(NotFittedError, match=r"this TransA has not learnt yet: call fit"):
            ask()


def test_fit_learns_and_returns_itself(atlas):
    model = TransE(dim=4, epochs=3, validate_every=0, threads=1)
    assert model.fit(atlas) is model
    assert model.graph_ is atlas
    assert model.parameters_["entity"].shape == (12, 4)
    assert [report.epoch for report in model.history_] == [1, 2, 3]


def test_fit_takes_a_data_set_by_name_and_a_path(tmp_path):
    file = tmp_path / "few.tsv"
    file.write_text("a\tr\tb\nb\tr\tc\nc\tr\ta\n" * 4)
    options = {"dim": 4, "epochs": 1, "validate_every": 0, "threads": 1}
    assert TransA(**options).fit("countries").graph_.name == "countries"
    assert TransA(**options).fit(file).graph_.n_entities == 3
    assert TransA(**options).fit(str(file)).graph_.name == "few"
    with pytest.raises(UnknownNameError, match="did you mean 'countries'"):
        TransA().fit("countrie")


def test_options_of_a_reader_are_for_files(atlas, tmp_path):
    file = tmp_path / "few.txt"
    file.write_text("r,a,b\nr,b,c\nr,c,a\n")
    graph = transa.load_graph(file, columns=("relation", "head", "tail"), split=None)
    assert graph.relations.labels.to_list() == ["r"]
    for source in ("countries", atlas):
        with pytest.raises(ConfigError, match="split: for files"):
            transa.load_graph(source, split=None)


def test_ctrl_c_keeps_what_was_learnt(atlas):
    model = TransA(dim=4, epochs=10_000, validate_every=0, threads=1)
    with pytest.raises(KeyboardInterrupt):
        model.fit(atlas, report=lambda report: os.kill(os.getpid(), signal.SIGINT))
    assert 1 <= len(model.history_) < 10_000
    assert model.learnt_.training.stopped == "interrupted"


def test_the_same_seed_gives_the_same_answers(atlas, fitted):
    options = {"epochs": 6, "validate_every": 2, "patience": 0, "threads": 1}
    again = TransA(dim=8, loss="logistic", **options).fit(atlas)
    for name, table in fitted.parameters_.items():
        np.testing.assert_array_equal(again.parameters_[name], table)


@pytest.mark.parametrize("kind", ESTIMATORS.values())
def test_a_model_comes_back_as_what_it_was(kind, atlas, tmp_path):
    model = kind(dim=4, norm="l2", epochs=2, threads=1).fit(atlas)
    model.save(tmp_path / "model")
    back = transa.load(tmp_path / "model")
    assert type(back) is kind
    assert back.settings == model.settings
    assert back.predict_tails("fr", "capital") == model.predict_tails("fr", "capital")
    assert back.history_ == model.history_


def test_checkpoint_and_log_may_be_words(atlas, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    TransE(dim=4, epochs=2, threads=1).fit(atlas, checkpoint="state", log="log")
    assert (tmp_path / "state").exists()
    assert len((tmp_path / "log").read_text().splitlines()) == 2


@pytest.mark.parametrize("given", [3, {("a", "r", "b")}])
def test_what_is_no_graph_is_told_how_to_become_one(given):
    with pytest.raises(InputError, match=r"transa\.from_frame, from_ids, from_labels"):
        TransE().fit(given)


def test_a_file_is_split_by_the_seed_of_the_recipe(tmp_path):
    file = tmp_path / "ring.tsv"
    file.write_text("".join(f"{i}\tr{j}\t{(i + j) % 40}\n" for i in range(40) for j in (1, 2, 3)))
    few = {"dim": 4, "epochs": 1, "threads": 1}
    for seed in (0, 3):
        split = TransE(seed=seed, **few).fit(file).graph_
        np.testing.assert_array_equal(split.test, transa.read(file, seed=seed).test)
    assert not np.array_equal(transa.read(file, seed=0).test, transa.read(file, seed=3).test)
