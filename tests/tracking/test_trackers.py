"""Trackers, each with its real library, and read back by it."""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys

import pytest

import transa
from transa.cli.app import run
from transa.errors import ConfigError
from transa.tracking import MLflow, TensorBoard, WeightsAndBiases, tracker

OPTIONS = {"dim": 4, "epochs": 3, "threads": 1, "patience": 0}


def fit(atlas, *callbacks, **options):
    return transa.TransA(**{**OPTIONS, **options}).fit(atlas, callbacks=callbacks)


def interrupt(run, report):
    raise KeyboardInterrupt


def scalars(folder):
    events = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    found = events.EventAccumulator(str(folder))
    found.Reload()
    return {
        name: [(event.step, event.value) for event in found.Scalars(name)]
        for name in found.Tags()["scalars"]
    }, found.Tags()["tensors"]


def test_tensorboard(atlas, tmp_path):
    model = fit(atlas, TensorBoard(tmp_path))
    curves, texts = scalars(tmp_path)
    losses = [(report.epoch, pytest.approx(report.loss)) for report in model.history_]
    assert curves["loss"] == losses
    assert curves["rate"][0] == (1, pytest.approx(model.settings_.recipe.lr))
    assert {name.partition("/")[0] for name in texts} == {"atlas", "end"}


def test_tensorboard_of_a_run_that_failed(atlas, tmp_path):
    with pytest.raises(transa.TransaError):
        fit(atlas, TensorBoard(tmp_path), lr=1e38, constraint="none", epochs=50)
    assert "end/text_summary" in scalars(tmp_path)[1]


@pytest.fixture
def mlflow(tmp_path, monkeypatch):
    library = pytest.importorskip("mlflow", reason="the extra 'mlflow' is not installed")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    uri = (tmp_path / "mlruns").as_uri()
    client = library.MlflowClient(tracking_uri=uri)

    def runs():
        found = client.get_experiment_by_name("transa")
        return client.search_runs([found.experiment_id]), client

    return uri, runs


def test_mlflow(atlas, mlflow):
    uri, runs = mlflow
    model = fit(atlas, MLflow(uri))
    fit(atlas, MLflow(uri))
    (_, first), client = runs()
    assert first.info.status == "FINISHED"
    assert first.info.run_name == "atlas"
    assert (first.data.params["dim"], first.data.params["margin"]) == ("4", "adaptive")
    history = client.get_metric_history(first.info.run_id, "loss")
    assert [(point.step, point.value) for point in history] == [
        (report.epoch, pytest.approx(report.loss)) for report in model.history_
    ]
    assert first.data.tags["stopped"] == "finished"


def test_mlflow_is_told_how_a_run_ends(atlas, mlflow):
    uri, runs = mlflow
    with pytest.raises(KeyboardInterrupt):
        fit(atlas, MLflow(uri), interrupt)
    with pytest.raises(transa.TransaError):
        fit(atlas, MLflow(uri), lr=1e38, constraint="none", epochs=50)
    assert {each.info.status for each in runs()[0]} == {"KILLED", "FAILED"}


def test_mlflow_without_a_server(atlas, monkeypatch):
    pytest.importorskip("mlflow", reason="the extra 'mlflow' is not installed")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    with pytest.raises(ConfigError, match="MLflow cannot record this run"):
        fit(atlas, MLflow("http://127.0.0.1:9"))


WANDB = """
import transa
from transa.tracking import WeightsAndBiases

options = {"dim": 4, "epochs": 3, "threads": 1, "patience": 0}
model = transa.TransA(**options).fit("countries", callbacks=[WeightsAndBiases("atlases")])
print(*(report.loss for report in model.history_))
options |= {"lr": 1e38, "constraint": "none", "epochs": 50}
try:
    transa.TransA(**options).fit("countries", callbacks=[WeightsAndBiases("atlases")])
except transa.TransaError:
    print("failed")
"""


def records(file):
    """What an offline run left: its messages in LevelDB's format of a log, blocks of 32 kB."""
    from wandb.proto.wandb_internal_pb2 import Record

    content, place, message = file.read_bytes(), 7, b""
    while place + 7 <= len(content):
        if (left := -place % 32768) < 7:
            place += left
        size, kind = struct.unpack_from("<HB", content, place + 4)
        message += content[place + 7 : place + 7 + size]
        place += 7 + size
        if kind in (1, 4):  # whole, or the last part
            yield Record.FromString(message)
            message = b""


def values(record):
    items = record.history.item
    return {"/".join(i.nested_key) or i.key: json.loads(i.value_json) for i in items}


def test_wandb_offline(tmp_path, monkeypatch):
    """In a process of its own: the library writes on after a run has ended."""
    pytest.importorskip("wandb", reason="the extra 'wandb' is not installed")
    for name, value in {"MODE": "offline", "DIR": str(tmp_path), "SILENT": "true"}.items():
        monkeypatch.setenv(f"WANDB_{name}", value)
    command = [sys.executable, "-c", WANDB]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    losses, ended = done.stdout.splitlines()
    assert ended == "failed"
    runs = [list(records(file)) for file in tmp_path.glob("wandb/offline-run-*/*.wandb")]
    runs.sort(key=lambda run: [r.exit.exit_code for r in run if r.HasField("exit")])
    finished, failed = runs
    assert [r.exit.exit_code for r in failed if r.HasField("exit")] == [1]
    (told,) = [r.run for r in finished if r.HasField("run")]
    assert (told.project, told.display_name) == ("atlases", "countries")
    lines = [values(r) for r in finished if r.HasField("history")]
    assert [line["loss"] for line in lines] == [float(loss) for loss in losses.split()]


def test_wandb_that_is_switched_off_or_wrong(atlas, monkeypatch):
    pytest.importorskip("wandb", reason="the extra 'wandb' is not installed")
    monkeypatch.setenv("WANDB_MODE", "disabled")
    assert len(fit(atlas, WeightsAndBiases()).history_) == 3
    with pytest.raises(ConfigError, match="Weights & Biases cannot record this run"):
        fit(atlas, WeightsAndBiases("a/b"))


def test_by_name():
    assert tracker("tensorboard=x").folder.name == "x"
    assert tracker("mlflow").uri is None
    assert tracker("wandb=mine").project == "mine"
    with pytest.raises(ConfigError, match="a tracker is one of tensorboard, mlflow, wandb"):
        tracker("paper")
    with pytest.raises(ConfigError, match="--track takes a name"):
        tracker("wandb=")


def test_from_the_command_line(call_in_process, triples, tmp_path):
    command = call_in_process(run)
    options = ("--dim", 4, "--epochs", 2, "--threads", 1, "--quiet", "--out", tmp_path / "m")
    done = command("train", triples, *options, "--track", f"tensorboard={tmp_path / 'tb'}")
    assert done.code == 0
    assert len(scalars(tmp_path / "tb")[0]["loss"]) == 2
    assert command("train", triples, *options, "--overwrite", "--track", "paper").is_refused(
        "a tracker is one of"
    )
    assert re.search(r"--track\s+tensorboard", command("train", "--help").out)
