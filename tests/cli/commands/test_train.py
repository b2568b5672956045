"""`transa train`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from typer.main import get_command

import transa
from transa.cli.app import app
from transa.cli.commands.train import settings_given
from transa.files.locks import locked
from transa.settings import recipe
from transa.settings.config import make_settings
from transa.settings.table import common_settings

QUICK = ("--epochs", 2, "--dim", 4, "--threads", 1)
NO_ROOM = ("--model", "sme-bilinear", "--set", "hidden=1000000", "--dim", 10_000)
FALLING = ("--mu", 0.7, "--mu-halved-after", 3)


def test_a_file_becomes_a_model_folder(command, triples, tmp_path):
    out = tmp_path / "model"
    done = command("train", triples, *QUICK, "--out", out, "--json")
    assert done.code == 0
    assert done.json["folder"] == str(out)
    assert done.json["training"]["epochs"] == 2
    model = transa.load(out)
    assert done.json["link_prediction"] == model.evaluate().to_dict()["link_prediction"]
    assert model.graph_.n_entities == 12
    log = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in log] == [1, 2]
    assert [path.name for path in tmp_path.iterdir() if "model" in path.name] == ["model"]


def test_a_data_set_is_not_mistaken_for_a_folder_of_its_name(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "countries").mkdir()
    done = command("train", "countries", *QUICK, "--out", "model", "--quiet")
    assert done.code == 0
    assert transa.load("model").graph_.name == "countries"


def test_for_people_it_says_what_and_what_next(command, triples, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = command("train", triples, *QUICK)
    assert "12 entities, 2 relations" in done.err
    assert "fixed margin (value 0.0)" in done.err
    assert "chosen for" in done.err
    assert "the listwise loss" in done.err
    assert "4 dimensions" not in done.err, "they were not chosen but given"
    assert "MRR" in done.out
    assert "transa predict runs/road-transe --head" in done.err
    assert transa.load("runs/road-transe").graph_.name == "road"
    assert command("train", triples, *QUICK, "--quiet", "--overwrite") == type(done)(0, "", "")


def test_only_what_is_given_differs_from_the_defaults(command, triples, tmp_path):
    out = tmp_path / "model"
    options = ("--lr", 0.2, "--loss", "logistic", *FALLING)
    command("train", triples, *QUICK, "--out", out, *options, "--quiet")
    margin = {"kind": "adaptive", "mu": 0.7, "mu_halved_after": 3}
    wanted = make_settings("transa", epochs=2, dim=4, threads=1, lr=0.2, margin=margin)
    assert transa.load(out).settings == wanted


@pytest.mark.parametrize(
    ("options", "model", "loss"),
    [
        ([], "transe", "listwise"),
        (["--margin", 2], "transe", "listwise"),
        (["--margin", "adaptive"], "transa", "listwise"),
        (["--mu", 0.7], "transa", "listwise"),
        (["--model", "transa", "--loss", "hinge"], "transa", "hinge"),
        (["--adversarial", 0.5], "transe", "logistic"),
        (["--model", "transh"], "transh", "logistic"),
    ],
)
def test_the_model_and_the_loss_follow_from_what_is_given(
    command, triples, tmp_path, options, model, loss
):
    out = tmp_path / "model"
    assert command("train", triples, *QUICK, "--out", out, *options, "--quiet").code == 0
    settings = transa.load(out).settings
    assert (settings.model, settings.recipe.loss) == (model, loss)


def test_transe_has_one_margin(command, triples, tmp_path):
    out = tmp_path / "model"
    command("train", triples, *QUICK, "--out", out, "--model", "transe", "--margin", 2, "--quiet")
    model = transa.load(out)
    assert isinstance(model, transa.TransE)
    assert model.settings.recipe.margin == transa.Fixed(2.0)
    assert {report.mean_margin for report in model.history_} == {2.0}


def test_a_config_file_and_options_that_win_over_it(command, triples, tmp_path):
    config, out = tmp_path / "recipe.yaml", tmp_path / "model"
    config.write_text(
        "model: transa\ndim: 5\nepochs: 9\nthreads: 1\nmargin: {kind: adaptive, reading: pairs}\n"
    )
    command("train", triples, "--config", config, "--epochs", 2, "--out", out, "--quiet")
    settings = transa.load(out).settings
    assert (settings.energy.dim, settings.recipe.epochs) == (5, 2)
    assert settings.recipe.margin.reading == "pairs"
    assert settings.recipe.loss == "logistic", "as it was when files left it out"
    again = tmp_path / "again"
    command("train", triples, "--config", out / "config.json", "--out", again, "--quiet")
    for name, table in transa.load(out).parameters_.items():
        np.testing.assert_array_equal(transa.load(again).parameters_[name], table)


def test_how_files_are_read_can_be_told(command, tmp_path):
    file, held_out = tmp_path / "a.csv", tmp_path / "b.csv"
    file.write_text("rel;x;y\nr;a;b\nr;a;b\nr;b;c\nr;c;a\n")
    held_out.write_text("rel;x;y\nr;a;c\nr;a;new\n")
    told = ("--delimiter", ";", "--header", "--columns", "x,rel,y", "--duplicates", "drop")
    out = tmp_path / "model"
    done = command(
        "train", file, "--test", held_out, *told, "--unseen", "drop", *QUICK, "--out", out
    )
    assert "1 of them repeated (dropped)" in done.err.replace("\n", " ")
    graph = transa.load(out).graph_
    assert (len(graph.train), len(graph.valid), len(graph.test)) == (3, 0, 1)
    assert graph.relations.labels.to_list() == ["r"]
    positions = ("--delimiter", ";", "--header", "--columns", "1,0,2", "--split", "0.5,0.25,0.25")
    command("train", file, *positions, *QUICK, "--out", out, "--quiet", "--overwrite")
    assert transa.load(out).graph_.relations.labels.to_list() == ["r"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nosuch",), ("no file or folder 'nosuch', nor a data set of that name",)),
        (("countrie",), ("did you mean 'countries'?",)),
        (("countries", "--valid", "x"), ("valid: for files",)),
        (("countries", "--model", "transx"), ("did you mean",)),
        (("countries", "--loss", "hing"), ("loss is one of",)),
        (("countries", "--dim", "0"), ("dim is at least 1",)),
        (("countries", "--lr", "-1"), ("lr is a positive number",)),
        (("countries", "--mu", "2"), ("mu is at most 1, found 2.0",)),
        (("countries", "--dropout", "1"), ("dropout is below 1",)),
        (("countries", "--model", "transa", "--margin", "4"), ("choose the model transe",)),
        (("countries", "--margin", "wide"), ("a margin is adaptive, fixed or a number",)),
        (("countries", "--model", "transe", "--mu", "1"), ("no --mu;", "--margin adaptive")),
        (
            ("countries", "--model", "transe", "--local", "1", "--halved-at", "2"),
            ("no --local, --halved-at;",),
        ),
        (
            ("countries", "--loss", "hinge", "--gamma", "9"),
            ("gamma is of the logistic or listwise loss",),
        ),
        (
            ("countries", "--model", "distmult", "--engine", "fused"),
            ("the fused engine trains only",),
        ),
        (("countries", "--model", "distmult", "--same-position", "1"), ("would change nothing",)),
        (("countries", "--dim", "99999999999999999999"), ("dim is at most 1,000,000",)),
        (("countries", *NO_ROOM), ("would need", "GB of memory")),
        (("countries", "--epochs", "ten"), ("epochs is a whole number, found 'ten'",)),
        (("countries", "--lr", "1e999"), ("lr is a number",)),
        (("countries", "--engine", "fused", "--batch", "9"), ("batch is of the",)),
        (("countries", "--device", "meta", "--engine", "autograd"), ("is not available",)),
        (("countries", "--split", "a,b"), ("--split is three numbers",)),
        (("countries", "--config", "none.yaml"), ("none.yaml: cannot be read",)),
        (("countries", "--resume"), ("there is no checkpoint",)),
        (("countries", "--engine", "fused", "--device", "cuda"), ("fused engine",)),
    ],
)
def test_refusals(command, arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert command("train", *arguments, "--quiet").is_refused(*words)


def test_refused_settings_leave_nothing_behind(command, triples, tmp_path):
    options = ("--model", "ntn", "--engine", "fused", "--quiet", "--out", tmp_path / "model")
    assert command("train", triples, *options).is_refused("the fused engine trains only")
    assert list(tmp_path.glob("model*")) == []


def test_a_bad_line_names_its_place(command, tmp_path):
    file = tmp_path / "bad.tsv"
    file.write_text("a\tr\tb\na\tr\n")
    assert command("train", file, "--out", tmp_path / "m").is_refused("bad.tsv", "line 2")
    assert not (tmp_path / "m").exists()


def test_something_else_in_the_way_is_found_before_training(command, triples, tmp_path):
    assert command("train", triples, "--out", tmp_path).is_refused("something other than a model")
    assert command("train", triples, "--out", triples).is_refused("a file is there")
    assert command("train", triples, "--out", triples / "x").is_refused("cannot be made")


@pytest.mark.parametrize(
    ("option", "default"),
    [("--loss", "listwise"), ("--epochs", "by size"), ("--patience", recipe.Recipe().patience)],
)
def test_help_tells_the_defaults(command, monkeypatch, option, default):
    monkeypatch.setenv("COLUMNS", "200")
    lines = command("train", "--help").out.splitlines()
    (line,) = (line for line in lines if f"{option} " in line)
    assert f"[default: {default}]" in line.replace("(", "").replace(")", "")


def test_every_setting_has_its_option(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    lines = command("train", "--help").out.splitlines()
    for name, declared in common_settings().items():
        (line,) = (line for line in lines if f"--{name.replace('_', '-')} " in line)
        assert declared.line in line
        if bool not in declared.types:
            assert f" {declared.legal} " in line
    (loss,) = (line for line in lines if "--loss " in line)
    assert " hinge|softplus|logistic|listwise|softmax " in loss


def another(declared):
    """A legal value that is not the default, nor TransA's."""
    if declared.choices:
        return next(word for word in declared.choices if word != declared.default)
    by_type = {bool: False, float: 0.7, int: 7, str: "cuda"}
    return by_type.get(declared.types[0], declared.default)


@pytest.mark.parametrize("name", common_settings())
def test_every_option_reaches_its_setting(name):
    value, dashed = another(common_settings()[name]), name.replace("_", "-")
    given = [f"--no-{dashed}"] if value is False else [f"--{dashed}", str(value)]
    given = given if name != "margin" else ["--margin", "adaptive"]
    needed = {n: words[0] for n, words in common_settings()[name].needs.items() if n == "loss"}
    given += [word for other in needed.items() for word in ("--" + other[0], other[1])]
    train = get_command(app).commands["train"]
    given += [] if "--margin" in given else ["--model", "transa"]
    settings = make_settings(**settings_given(train.make_context("train", ["wn18", *given]).params))
    found = {**settings.by_name, **vars(settings.recipe.margin)}
    assert found[name] == value
    others = {**make_settings().by_name, **vars(transa.Adaptive())}
    assert {n: v for n, v in found.items() if n not in (name, "margin", *needed)} == {
        n: v for n, v in others.items() if n not in (name, "margin", *needed)
    }


PROGRAM = [sys.executable, "-c", "from transa.cli import main; main()", "train"]


def stopped_by(number, command, log):
    """What a run says that is sent a signal once it has learnt for an epoch; its exit code."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not (log.exists() and log.stat().st_size):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    return process.communicate()[1], process.returncode


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_that_is_stopped_leaves_a_model_says_how_to_go_on_and_does(
    triples, tmp_path, number, code
):
    out, never_stopped = tmp_path / "model", tmp_path / "whole"
    program = [*PROGRAM, str(triples)]
    options = ["--epochs", "400", "--dim", "4", "--threads", "1", "--validate-every", "0"]
    log = tmp_path / "model.training" / "log.jsonl"
    command = [*program, *options, "--out", str(out)]
    err, ended = stopped_by(number, command, log)
    assert ended == code
    assert f"; the model as it is now is in {out}\n" in err
    assert f"to go on: transa train {triples}" in err
    assert err.strip().endswith("--resume")
    assert "Traceback" not in err
    left = transa.load(out)
    assert left.learnt_.training.stopped == "interrupted"
    assert len(left.history_) < 400
    subprocess.run([*command, "--resume", "--quiet"], check=True)
    subprocess.run([*program, *options, "--out", str(never_stopped), "--quiet"], check=True)
    assert len(transa.load(out).history_) == 400
    for name, table in transa.load(never_stopped).parameters_.items():
        np.testing.assert_array_equal(transa.load(out).parameters_[name], table)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "road.tsv", "whole"]


def test_a_run_that_is_stopped_does_not_take_the_place_of_a_finished_model(triples, tmp_path):
    out = tmp_path / "model"
    few = ["--dim", "4", "--threads", "1", "--validate-every", "0", "--out", str(out)]
    subprocess.run([*PROGRAM, str(triples), *few, "--epochs", "3", "--quiet"], check=True)
    command = [*PROGRAM, str(triples), *few, "--epochs", "100000", "--overwrite"]
    err, ended = stopped_by(signal.SIGTERM, command, tmp_path / "model.training" / "log.jsonl")
    assert ended == 143
    assert f"{out} keeps the model that it had\n" in err
    assert len(transa.load(out).history_) == 3


def test_a_finished_model_is_only_replaced_when_that_is_asked_for(
    command, triples, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert command("train", triples, *QUICK, "--quiet").code == 0
    before = (tmp_path / "runs/road-transe/checksums.json").read_bytes()
    again = (*QUICK, "--seed", 1, "--quiet")
    for out in ([], ["--out", "runs/road-transe"], ["--out", "runs/road-transe", "--resume"]):
        refused = command("train", triples, *again, *out)
        assert refused.is_refused("runs/road-transe holds a finished model", "--overwrite")
    # Found before the graph is looked for.
    assert command("train", "nosuch", "--out", "runs/road-transe").is_refused("finished model")
    assert (tmp_path / "runs/road-transe/checksums.json").read_bytes() == before
    assert command("train", triples, *again, "--overwrite").code == 0
    assert (tmp_path / "runs/road-transe/checksums.json").read_bytes() != before
    assert not (tmp_path / "runs/road-transe.training").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--device", "cuda:7"), "is not available"),
        (("--model", "distmult", "--margin", "adaptive"), "distmult is no translation"),
        (("--model", "transe", "--loss", "softmax", "--engine", "fused"), "the fused engine"),
        (("--engine", "fused", "--device", "cuda"), "fused engine"),
    ],
)
def test_what_suits_no_graph_is_refused_before_one_is_read(command, options, words):
    assert command("train", "nosuch", *options).is_refused(words)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--batch", 64), "batch will change nothing: this run is trained by the listwise loss"),
        (("--loss", "hinge", "--batch", 64), "batch will change nothing"),
        (("--validate-every", 0, "--patience", 3), "patience will change nothing, since"),
        (("--split", "1,0,0", "--patience", 3, "--stop-on", "mr"), "patience and stop_on will"),
        (("--loss", "hinge", "--negatives", 1, "--adversarial", 0.9), "adversarial will"),
    ],
)
def test_options_that_change_nothing_are_told_of(command, triples, tmp_path, options, words):
    done = command("train", triples, *QUICK, *options, "--out", tmp_path / "model")
    assert done.code == 0
    (line,) = (line for line in done.err.splitlines() if "will change nothing" in line)
    assert line.startswith("warning: ")
    assert words in line


def test_options_of_use_are_not_warned_of(command, triples, tmp_path):
    options = ("--patience", 3, "--stop-on", "mr", "--loss", "hinge", "--adversarial", 0.9)
    done = command("train", triples, *QUICK, *options, "--out", tmp_path / "model")
    assert "will change nothing" not in done.err
    never = ("--patience", 0, "--validate-every", 0)
    done = command("train", triples, *QUICK, *never, "--out", tmp_path / "other")
    assert "will change nothing" not in done.err


def test_where_nobody_sees_a_bar_there_are_lines(command, triples, tmp_path):
    err = command("train", triples, *QUICK, "--out", tmp_path / "model").err
    lines = [line for line in err.splitlines() if line.startswith("epoch ")]
    assert [line.split("  ")[0] for line in lines] == ["epoch 1 of 2", "epoch 2 of 2"]


def test_two_runs_do_not_share_a_folder(command, triples, tmp_path):
    with locked(tmp_path / "model.training"):
        done = command("train", triples, *QUICK, "--out", tmp_path / "model", "--quiet")
    assert done.is_refused(f"model.training: process {os.getpid()} on", "is writing it")


@pytest.mark.parametrize(
    "text", ["margin: [1]", "margin: {kind: [1]}", "model: [1]", "model: null", "dim: []"]
)
def test_a_config_file_of_the_wrong_shape_is_refused(command, tmp_path, text):
    (tmp_path / "odd.yaml").write_text(text)
    done = command("train", "countries", "--config", tmp_path / "odd.yaml", "--quiet")
    assert done.is_refused("found")


def test_a_run_that_was_stopped_is_not_thrown_away(command, triples, tmp_path):
    out, work = tmp_path / "model", tmp_path / "model.training"
    work.mkdir()
    (work / "checkpoint.safetensors").write_text("hours of work")
    done = command("train", triples, *QUICK, "--out", out, "--quiet")
    assert done.is_refused("holds a run that was stopped; --resume goes on with it")
    assert (work / "checkpoint.safetensors").read_text() == "hours of work"


def test_what_has_an_option_is_not_set_twice(command, triples):
    done = command("train", triples, *QUICK, "--set", "dim=7")
    assert done.is_refused("dim is not of one model alone", "say --dim")


def test_a_run_that_stopped_early_has_no_time_left(command, triples, tmp_path):
    stopping = ("--validate-every", 1, "--patience", 1, "--lr", 1e-9, "--threads", 1)
    done = command("train", triples, *stopping, "--out", tmp_path / "model")
    assert "stopped early" in done.err
    assert not [line for line in done.err.splitlines() if "✓" in line and "left" in line]


def test_it_says_that_there_was_nothing_to_rank(command, tmp_path):
    few = tmp_path / "few.tsv"
    few.write_text("a\tr\tb\nb\tr\tc\n")
    done = command("train", few, *QUICK, "--out", tmp_path / "model")
    assert done.code == 0
    assert "no test triples" in done.err
