"""A cluster of three nodes on this machine, storage of S3's kind, and a graph worth a kill."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from transa.cli.app import run
from transa.graph import Graph, Vocabulary
from transa.prepared.graph import PreparedGraph
from transa.prepared.prepare import Plan, prepare

# Before Ray is loaded: nothing is sent, nothing is shown, little is taken.
os.environ |= {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DISABLE_IMPORT_WARNING": "1",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_memory_monitor_refresh_ms": "0",
    # A node that is killed is missed within a second or two.
    "RAY_health_check_initial_delay_ms": "500",
    "RAY_health_check_period_ms": "300",
    "RAY_health_check_failure_threshold": "3",
}
STORE = 80 << 20
N, RELATIONS, TRIPLES = 600, 3, 12_000
PARTITIONS = 12


@pytest.fixture(scope="session")
def town() -> Graph:
    """Entities on a ring: relation r leads a way on that is its own, and a bit."""
    rng = np.random.default_rng(4)
    head = rng.integers(N, size=TRIPLES)
    relation = rng.integers(RELATIONS, size=TRIPLES)
    tail = (head + 40 * (relation + 1) + rng.integers(12, size=TRIPLES)) % N
    triples = np.unique(np.stack([head, relation, tail], axis=1).astype(np.int32), axis=0)
    triples = triples[rng.permutation(len(triples))]
    return Graph(
        triples[600:],
        Vocabulary("entity", [f"e{i}" for i in range(N)]),
        Vocabulary("relation", [f"r{i}" for i in range(RELATIONS)]),
        valid=triples[:300],
        test=triples[300:600],
        name="town",
    )


@pytest.fixture(scope="session")
def prepared(town, tmp_path_factory) -> PreparedGraph:
    """The same in partitions enough for three turns at once."""
    return prepare(town, tmp_path_factory.mktemp("town") / "prepared", Plan(partitions=PARTITIONS))


@pytest.fixture(scope="session")
def s3(tmp_path_factory) -> Iterator[str]:
    """The address of a bucket on a server of this machine, for nodes and for this process."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    os.environ |= {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "nobody",
        "AWS_SECRET_ACCESS_KEY": "nothing",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    import s3fs

    s3fs.S3FileSystem().mkdir("town")
    yield "s3://town"
    server.stop()


@pytest.fixture(scope="session")
def cluster(s3) -> Iterator[object]:
    """A head that does no work, and three nodes that do; this process drives it."""
    import ray
    from ray.cluster_utils import Cluster

    # Nodes are to find this source, wherever it is.
    source = str(Path(__file__).parents[2] / "src")
    os.environ["PYTHONPATH"] = os.pathsep.join([source, os.environ.get("PYTHONPATH", "")])
    made = Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 0,
            "include_dashboard": False,
            "object_store_memory": STORE,
        },
    )
    # While the head is alone: a driver ends with the node that it is on.
    ray.init(address=made.address, log_to_driver=False, logging_level="ERROR")
    for _ in range(3):
        add_node(made)
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture
def command(call_in_process):
    """Run `transa` with these arguments, in this process."""
    return call_in_process(run)


def add_node(cluster):
    """One more node, of one core."""
    return cluster.add_node(num_cpus=1, object_store_memory=STORE, wait=True)


def wait_for(condition, seconds=300.0):
    """Wait until something is so."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            pytest.fail(f"not so after {seconds} s")
        time.sleep(0.02)
