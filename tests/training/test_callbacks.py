"""Callbacks: what they see, what they can ask for, and what they cannot break."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import transa
from transa.errors import ConfigError, TrainingError
from transa.graph.graph import no_triples

OPTIONS = {"dim": 8, "threads": 1, "patience": 0, "seed": 3}


class Seen(transa.Callback):
    def __init__(self):
        self.calls = []

    def begin(self, run):
        self.calls.append(("begin", len(run.history)))

    def epoch(self, run, report):
        self.calls.append(("epoch", report.epoch, len(run.history)))

    def end(self, run, record):
        self.calls.append(("end", record and record.stopped))


def fit(atlas, *callbacks, epochs=4, model="transa", **options):
    estimator = transa.Estimator(model, **{**OPTIONS, "epochs": epochs, **options})
    return estimator.fit(atlas, callbacks=callbacks)


def test_they_are_called_in_order(atlas):
    fit(atlas, seen := Seen(), epochs=2)
    assert seen.calls == [("begin", 0), ("epoch", 1, 1), ("epoch", 2, 2), ("end", "finished")]


def test_a_function_is_called_after_every_epoch(atlas):
    losses = []
    model = fit(atlas, lambda run, report: losses.append(report.loss))
    assert losses == [report.loss for report in model.history_]


def test_they_know_what_is_trained(atlas):
    told = []
    fit(atlas, lambda run, report: told.append((run.settings, run.graph)), epochs=1)
    ((settings, graph),) = told
    assert graph is atlas
    assert (settings["energy"], settings["dim"], settings["epochs"]) == ("transe", 8, 1)
    assert (settings["margin"], settings["margin.mu"]) == ("adaptive", 0.5)


def test_one_can_stop_the_run(atlas):
    def enough(run, report):
        if report.epoch == 2:
            run.stop()

    model = fit(atlas, enough, seen := Seen())
    assert len(model.history_) == 2
    assert seen.calls[-1] == ("end", "early")
    assert np.array_equal(model.parameters_["entity"], fit(atlas, epochs=2).parameters_["entity"])


@pytest.mark.parametrize(
    ("model", "options"),
    [
        ("transa", {}),
        ("transe", {"engine": "autograd", "optimiser": "adam"}),
        ("distmult", {"optimiser": "adagrad"}),
        ("transh", {}),
    ],
)
def test_one_can_change_the_rate(atlas, model, options):
    def halve(run, report):
        run.rate /= 2

    def keep(run, report):
        run.rate = run.rate

    rates = []
    # So that the last vectors are kept, and not the best of some epoch.
    atlas = replace(atlas, valid=no_triples())
    plain = fit(atlas, model=model, **options).parameters_["entity"]
    kept = fit(atlas, keep, model=model, **options).parameters_["entity"]
    halved = fit(
        atlas, halve, lambda run, _: rates.append(run.rate), model=model, **options
    ).parameters_["entity"]
    assert np.array_equal(plain, kept)
    assert not np.array_equal(plain, halved)
    assert rates == pytest.approx([rates[0] / 2**i for i in range(4)])


def test_a_rate_that_is_none_is_told_and_the_run_goes_on(atlas):
    def wrong(run, report):
        run.rate = -1

    with pytest.warns(RuntimeWarning, match=r"callback wrong failed .*lr is a positive number"):
        model = fit(atlas, wrong)
    assert len(model.history_) == 4


def test_a_changed_rate_outlives_a_checkpoint(atlas, tmp_path):
    def halve_at_first(run, report):
        if report.epoch == 1:
            run.rate /= 2

    def stop_at_two(run, report):
        if report.epoch == 2:
            raise KeyboardInterrupt

    whole = fit(atlas, halve_at_first)
    place = {"checkpoint": tmp_path / "c"}
    estimator = transa.Estimator("transa", **OPTIONS, epochs=4)
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(atlas, callbacks=[halve_at_first, stop_at_two], **place)
    assert len(estimator.history_) == 2
    resumed = transa.Estimator("transa", **OPTIONS, epochs=4).fit(atlas, resume=True, **place)
    assert np.array_equal(whole.parameters_["entity"], resumed.parameters_["entity"])


def test_one_can_write_a_checkpoint_of_its_own(atlas, tmp_path):
    def keep_the_second(run, report):
        run.save_checkpoint()  # there is to be none
        if report.epoch == 2:
            run.save_checkpoint(tmp_path / "second")

    whole = fit(atlas, keep_the_second)
    assert [path.name for path in tmp_path.iterdir()] == ["second"]
    again = transa.Estimator("transa", **OPTIONS, epochs=4)
    again.fit(atlas, checkpoint=tmp_path / "second", resume=True)
    assert np.array_equal(whole.parameters_["entity"], again.parameters_["entity"])


def test_one_can_ask_the_model_of_the_moment(atlas):
    models = []
    last = fit(atlas, lambda run, _: models.append(run.model())).model_
    assert np.array_equal(models[-1].tables["entity"], last.tables["entity"])
    assert not np.array_equal(models[0].tables["entity"], last.tables["entity"])


def test_an_exception_does_not_lose_the_run(atlas):
    class Broken(Seen):
        def epoch(self, run, report):
            super().epoch(run, report)
            raise ValueError("no room")

    with pytest.warns(RuntimeWarning, match=r"callback Broken failed .*ValueError: no room"):
        model = fit(atlas, broken := Broken(), seen := Seen())
    assert len(model.history_) == 4
    assert broken.calls == [("begin", 0), ("epoch", 1, 1)]
    assert seen.calls[-1] == ("end", "finished")


def test_an_exception_at_the_end_does_not_either(atlas):
    class Broken(transa.Callback):
        def end(self, run, record):
            raise ValueError

    with pytest.warns(RuntimeWarning, match="callback Broken failed .*ValueError"):
        assert len(fit(atlas, Broken()).history_) == 4


def test_one_that_cannot_begin_ends_the_run_before_it_costs_anything(atlas):
    class Broken(Seen):
        def begin(self, run):
            raise ConfigError("no such server")

    with pytest.raises(ConfigError, match="no such server"):
        fit(atlas, Broken(), seen := Seen())
    assert seen.calls == []


def test_a_run_that_fails_is_told_of(atlas):
    with pytest.raises(TrainingError):
        fit(atlas, seen := Seen(), lr=1e38, epochs=50, constraint="none")
    assert seen.calls[-1] == ("end", None)


@pytest.mark.parametrize("wrong", ["stop", Seen, 3])
def test_what_is_no_callback_is_refused(atlas, wrong):
    with pytest.raises(ConfigError, match=r"a callback is a transa\.Callback or a function"):
        fit(atlas, wrong)


PROGRAM = """
import os, signal, sys, transa

def interrupt(run, report):
    if report.epoch == 3:
        os.kill(os.getpid(), signal.SIGINT)

model = transa.TransA(dim=4, epochs=10**6, patience=0, threads=1)
try:
    model.fit("countries", callbacks=[interrupt])
except KeyboardInterrupt:
    print(len(model.history_), model.learnt_.training.stopped)
    print(len(model.predict_tails("France", "borders", k=3)))
    model.save(sys.argv[1])
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are another matter there")
def test_ctrl_c_leaves_a_usable_model(tmp_path):
    assert signal.SIGINT == 2
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "m")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["3", "interrupted", "3"]
    assert len(transa.load(tmp_path / "m").history_) == 3
