"""What can be wrong with a cluster: each is a sentence that says what to do."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from transa.cluster import connecting
from transa.cluster.connecting import check_answers, check_nodes
from transa.cluster.pool import Job, Pool
from transa.cluster.ranking import pool_of
from transa.cluster.store import Store
from transa.errors import ConfigError, StoreError, TrainingError

from .conftest import STORE

pytestmark = pytest.mark.xdist_group("ray")


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "nowhere.invalid:6379"])
def test_nobody_answers(address):
    with pytest.raises(ConfigError, match=r"no cluster of Ray's answers at .*ray status"):
        check_answers(address)


@pytest.mark.parametrize("address", ["head", "head:", ":6379", "ray://head"])
def test_what_is_no_address_is_refused(address):
    with pytest.raises(ConfigError, match="a cluster is an address such as"):
        check_answers(address)


def test_somebody_else_answers(monkeypatch):
    monkeypatch.setattr(connecting, "_HANDSHAKE", 3.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ConfigError, match=r"no cluster of Ray's answers at .*ray status"):
            check_answers(address)


def test_the_cluster_answers(cluster):
    check_answers(cluster.address)


def test_a_node_has_another_version(cluster, tmp_path):
    other = tmp_path / "transa"
    other.mkdir()
    (other / "__init__.py").write_text('__version__ = "0.0.1"\n')
    node = cluster.add_node(
        num_cpus=1, object_store_memory=STORE, env_vars={"PYTHONPATH": str(tmp_path)}
    )
    try:
        with pytest.raises(ConfigError, match=r"has transa 0\.0\.1, and .*same version on all"):
            check_nodes(None)
    finally:
        cluster.remove_node(node)


def test_versions_and_places_are_looked_at():
    with pytest.raises(ConfigError, match=r"has Python 3\.1\.4, .*same minor version"):
        connecting._check_node("n", connecting.__version__, "3.1.4", [])
    ours = connecting.platform.python_version()
    with pytest.raises(StoreError, match=r"does not see /x: name a place that all nodes reach"):
        connecting._check_node("n", connecting.__version__, ours, ["/x"])


def test_nodes_see_the_storage_and_the_graph(cluster, tmp_path):
    store = Store(str(tmp_path / "run"))
    check_nodes(store, (str(tmp_path),))
    assert store.names() == []
    with pytest.raises(StoreError, match=r"does not see .*nothing-there"):
        check_nodes(store, (str(tmp_path / "nothing-there"),))


def test_nobody_comes_to_work(cluster, monkeypatch):
    monkeypatch.setattr("transa.cluster.pool.PATIENCE", 0.5)
    pool = pool_of(None, 64, 1)
    try:
        with pytest.raises(TrainingError, match=r"no worker has been there .*--resume goes on"):
            list(pool.results([Job(0, "end", ())]))
    finally:
        pool.close()


def test_work_that_ends_its_workers_is_given_up(cluster):
    import ray

    @ray.remote(num_cpus=1)
    class Fatal:
        def begin(self):
            return os.getpid()

        def work(self):
            os._exit(1)

        def end(self):
            pass

    def hire():
        worker = Fatal.remote()
        return worker, worker.begin.remote()

    pool = Pool(hire, 1)
    try:
        with pytest.raises(TrainingError, match="the same work has ended 4 workers"):
            list(pool.results([Job(0, "work", ())]))
    finally:
        pool.close()
    assert pool.lost == 4


def test_a_run_that_is_to_stop_stops(cluster):
    from transa.training.interrupt import StopRequestedError

    pool = pool_of(None, 1, 1)
    try:
        with pytest.raises(StopRequestedError):
            list(pool.results([Job(0, "end", ())], lambda: True))
    finally:
        pool.close()


def test_a_cluster_of_one_machine_is_started_and_ended(prepared, tmp_path):
    """In a process of its own, for this one drives another cluster."""
    words = ["train", prepared.folder, "--out", tmp_path / "model", "--cluster", "local"]
    words += ["--model", "transa", "--loss", "logistic", "--dim", "16", "--threads", "1"]
    words += ["--epochs", "1", "--validate-every", "0", "--json"]
    code = "import sys; from transa.cli import main; sys.argv = ['transa', *sys.argv[1:]]; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert '"link_prediction"' in done.stdout
