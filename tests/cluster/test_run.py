"""Training on a real cluster of three nodes, which is disturbed: the same bits come of it."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import transa
from transa.cluster import pool as pools
from transa.cluster import run as module
from transa.cluster.run import train_on_cluster
from transa.errors import StoreError
from transa.settings.config import make_settings
from transa.training.partitioned.run import train_in_partitions

from .conftest import add_node, wait_for

pytestmark = pytest.mark.xdist_group("ray")

SMALL = {"dim": 16, "epochs": 3, "threads": 1, "seed": 5, "loss": "logistic"}


class EndedError(Exception):
    """Ends a run."""


def trained(graph, work, **how):
    settings = make_settings("transa", **SMALL)
    what = settings.energy, settings.recipe, graph, work, "auto"
    return train_on_cluster(*what, **how)


@pytest.fixture(scope="module")
def undisturbed(cluster, prepared, tmp_path_factory):
    return trained(prepared, tmp_path_factory.mktemp("undisturbed"))


def assert_the_same(learnt, other):
    for name, table in other.parameters.items():
        np.testing.assert_array_equal(learnt.parameters[name], table)
    assert [(e.loss, e.mean_margin, e.validation) for e in learnt.history] == [
        (e.loss, e.mean_margin, e.validation) for e in other.history
    ]


class Disturbance(threading.Thread):
    """Stops a worker while it is at a turn of the second epoch, and then does it harm."""

    def __init__(self, monkeypatch, harm):
        super().__init__(daemon=True)
        self.harm, self.epoch, self.pool, self.pid, self.failed = harm, 0, None, None, None
        make = module.pool_of

        def kept(*told):
            self.pool = make(*told)
            return self.pool

        monkeypatch.setattr(module, "pool_of", kept)
        self.start()

    def report(self, line):
        self.epoch = line.epoch

    def run(self):
        try:
            wait_for(lambda: self.epoch >= 1)
            while not self._caught():
                time.sleep(0.003)
            self.harm(self.pid)
        except BaseException as error:
            self.failed = error

    def _caught(self):
        for what, pid in self.pool.busy().items():
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.2)
            if self.pool.busy().get(what) == pid:
                self.pid = pid
                return True
            os.kill(pid, signal.SIGCONT)
        return False

    def done(self):
        self.join(30)
        assert not self.is_alive()
        assert self.failed is None


def test_it_learns_as_one_machine_does(undisturbed, prepared, tmp_path):
    settings = make_settings("transa", **SMALL)
    alone = train_in_partitions(
        settings.energy, settings.recipe, prepared, tmp_path / "alone", at_hand=4
    )
    first, last = undisturbed.history[0], undisturbed.history[-1]
    assert last.loss < 0.9 * first.loss
    assert last.validation == pytest.approx(alone.history[-1].validation, rel=0.1)


def test_a_worker_is_killed_and_all_is_on_s3(undisturbed, prepared, s3, tmp_path, monkeypatch):
    disturbance = Disturbance(monkeypatch, lambda pid: os.kill(pid, signal.SIGKILL))
    learnt = trained(prepared, tmp_path, storage=f"{s3}/run", report=disturbance.report)
    disturbance.done()
    assert disturbance.pool.lost == 1
    assert_the_same(learnt, undisturbed)


def test_a_node_is_killed(undisturbed, prepared, cluster, tmp_path, monkeypatch):
    killed = []

    def kill_node(pid):
        raylet = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        killed.append(raylet)
        os.kill(raylet, signal.SIGKILL)

    disturbance = Disturbance(monkeypatch, kill_node)
    learnt = trained(prepared, tmp_path, report=disturbance.report)
    disturbance.done()
    for node in list(cluster.worker_nodes):
        if node.all_processes["raylet"][0].process.pid in killed:
            cluster.remove_node(node, allow_graceful=False)
    add_node(cluster)
    assert disturbance.pool.lost >= 1
    assert_the_same(learnt, undisturbed)


def test_a_slow_node_keeps_nobody_waiting(undisturbed, prepared, tmp_path, monkeypatch):
    monkeypatch.setattr(pools, "SLOW_AT_LEAST", 0.5)
    disturbance = Disturbance(monkeypatch, lambda _: None)

    def go_on(line):
        disturbance.report(line)
        if line.epoch == 2:
            # What it comes to now nobody waits for.
            disturbance.join(30)
            os.kill(disturbance.pid, signal.SIGCONT)

    learnt = trained(prepared, tmp_path, report=go_on)
    disturbance.done()
    assert_the_same(learnt, undisturbed)


def test_the_driver_is_killed_and_resumed_and_its_model_is_an_ordinary_one(
    undisturbed, prepared, cluster, tmp_path, command
):
    out = tmp_path / "model"
    settings = {n: v for n, v in SMALL.items() if n != "loss"}
    options = [f"--{name}={value}" for name, value in settings.items()]
    words = ["train", prepared.folder, "--model", "transa", "--loss", "logistic", *options]
    words = [str(w) for w in (*words, "--out", out, "--cluster", cluster.address)]
    code = "import sys; from transa.cli import main; sys.argv = ['transa', *sys.argv[1:]]; main()"
    child = subprocess.Popen([sys.executable, "-c", code, *words], stderr=subprocess.PIPE)
    told = tmp_path / "model.training" / "partitions" / "cluster.json"

    def is_in_mid_round():
        assert child.poll() is None, child.stderr.read().decode()
        if not told.exists():
            return False
        saved = json.loads(told.read_text())
        return saved["epoch"] >= 1 and len(saved["finished"]) > 0

    wait_for(is_in_mid_round)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert command(*words, "--quiet").is_refused("--resume goes on with it")
    done = command(*words, "--resume", "--json")
    assert done.code == 0, done.err
    model = transa.load(out)
    for name, table in undisturbed.parameters.items():
        np.testing.assert_array_equal(model.parameters_[name], table)
    assert not (tmp_path / "model.training").exists()
    here = command("evaluate", out, "--json").json
    there = command("evaluate", out, "--json", "--cluster", cluster.address).json
    assert here == there == {"link_prediction": done.json["link_prediction"]}


def test_a_full_disk_is_told_and_nothing_is_lost(undisturbed, prepared, tmp_path, monkeypatch):
    def fill(pid):
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
        os.kill(pid, signal.SIGCONT)

    disturbance = Disturbance(monkeypatch, fill)
    with pytest.raises(StoreError, match=r"cannot be written .*make room.*--resume goes on"):
        trained(prepared, tmp_path, report=disturbance.report)
    disturbance.done()
    told = json.loads((tmp_path / "cluster.json").read_text())
    # One that the run goes on from: the turn that failed may have left others.
    part = tmp_path / told["catalogue"][told["parts"]["0"]][0]
    shutil.copy(part, tmp_path / "kept")
    with part.open("r+b") as file:
        file.truncate(500)
    with pytest.raises(StoreError, match=r"part-.* is not as it was written, .*train again"):
        trained(prepared, tmp_path, resume=True)
    shutil.copy(tmp_path / "kept", part)
    assert_the_same(trained(prepared, tmp_path, resume=True), undisturbed)
