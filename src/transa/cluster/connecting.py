"""To a cluster of Ray's: reach it, and find out whether its nodes will do."""

from __future__ import annotations

import os
import platform
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from transa import __version__
from transa.cluster.store import Store
from transa.errors import ConfigError, StoreError, TooLargeError, TransaError, optional

LOCAL = "local"
# Seconds.
_ANSWER, _HANDSHAKE, _PROBE = 10.0, 60.0, 120.0


@contextmanager
def connected(address: str) -> Iterator[None]:
    """While it lasts, this process drives a cluster: `address`, or one of this machine alone.

    Where the process is connected already, it stays so, and no other is looked for.

    Raises:
        ConfigError: if Ray is not installed, or the address does not answer.
    """
    # What a worker says against its job is told by us.
    os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")
    ray: Any = optional("ray", "ray", "a cluster")
    if ray.is_initialized():
        yield
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        if address == LOCAL:
            # Said, for else Ray takes one that runs here already.
            ray.init(address="local", include_dashboard=False, **quiet)
        else:
            check_answers(address)
            ray.init(address=address, **quiet)
    except TransaError:
        raise
    # Ray says it in many ways.
    except Exception as error:
        raise _no_cluster(address, " ".join(str(error).split())[:300]) from error
    try:
        yield
    finally:
        ray.shutdown()


def check_answers(address: str) -> None:
    """Refuse an address that Ray would try for minutes, and not let be interrupted."""
    if address == "auto":
        return
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not (colon and host and port.isdigit()):
        raise ConfigError(
            f"a cluster is an address such as 10.0.0.1:6379 or ray://head:10001, auto or local; "
            f"found {address!r:.100}"
        )
    try:
        socket.create_connection((host, int(port)), timeout=_ANSWER).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise _no_cluster(address, str(error)) from error
    if address.startswith("ray://"):
        return
    # Of something that is no cluster Ray waits for an answer, and cannot be interrupted.
    words = [sys.executable, "-m", "ray.scripts.scripts", "health-check", "--address", address]
    try:
        done = subprocess.run(words, capture_output=True, timeout=_HANDSHAKE, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise _no_cluster(address, f"nothing said in {_HANDSHAKE:.0f} s") from None
    if done.returncode:
        raise _no_cluster(address, "what answers there is no cluster of Ray's")


def _no_cluster(address: str, reason: str) -> ConfigError:
    return ConfigError(
        f"no cluster of Ray's answers at {address} ({reason}); see that it runs (ray status) and "
        "can be reached from here, and that Ray and Python have the same versions there"
    )


def check_nodes(store: Store | None, folders: tuple[str, ...] = ()) -> None:
    """Refuse a cluster whose nodes cannot do the work.

    Args:
        store: what all of them must reach.
        folders: other folders that all of them must see.

    Raises:
        ConfigError, StoreError: says which node cannot what, and what to do.
    """
    import ray
    from ray.exceptions import RayError
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    # Defined in here, so that it is sent whole: a node may have no transa to find it in.
    def probe(paths: list[str]) -> tuple[str, str, str, list[str]]:
        import os
        import platform

        try:
            from transa import __version__ as version
        except ImportError as error:
            version = f"none ({error})"
        missing = [path for path in paths if not os.path.exists(path)]  # noqa: PTH110
        return platform.node(), version, platform.python_version(), missing

    mark = f"reached-by-{secrets.token_hex(4)}"
    paths = list(folders)
    if store is not None and store.folder is not None:
        store.write(mark, b"")
        paths.append(str(store.folder / mark))
    asked = ray.remote(probe)
    try:
        for node in ray.nodes():
            if not node["Alive"]:
                continue
            there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            told = asked.options(num_cpus=0, max_retries=0, scheduling_strategy=there)
            try:
                name, version, python, missing = ray.get(told.remote(paths), timeout=_PROBE)
            except RayError as error:
                raise ConfigError(
                    f"the node {node['NodeManagerAddress']} does not do what it is asked "
                    f"({' '.join(str(error).split())[:200]}); see whether it is well (ray status)"
                ) from error
            _check_node(f"{name} ({node['NodeManagerAddress']})", version, python, missing)
    finally:
        if store is not None and store.folder is not None:
            with suppress(StoreError):
                store.remove([mark])


def _check_node(name: str, version: str, python: str, missing: list[str]) -> None:
    if version != __version__:
        raise ConfigError(
            f"the node {name} has transa {version}, and {__version__} is wanted: install the same "
            "version on all nodes"
        )
    ours = platform.python_version()
    if python.rpartition(".")[0] != ours.rpartition(".")[0]:
        raise ConfigError(
            f"the node {name} has Python {python}, and {ours} is here: the same minor version is "
            "needed on all nodes"
        )
    if missing:
        raise StoreError(
            f"the node {name} does not see {missing[0]}: name a place that all nodes reach "
            "(--storage s3://bucket/run, or a folder that all of them mount)"
        )


def threads_of(asked: int) -> int:
    """Threads of a worker: as asked for, or all those of the smallest node that has any.

    Raises:
        ConfigError: if no node has so many.
    """
    import ray

    cores = [int(n["Resources"].get("CPU", 0)) for n in ray.nodes() if n["Alive"]]
    cores = [n for n in cores if n > 0]
    threads = asked or min(cores, default=1)
    if cores and threads > max(cores):
        raise ConfigError(
            f"no node has {threads} cores free for a worker; the largest has {max(cores)}: ask for "
            "fewer --threads"
        )
    return threads


def memory_of_workers(threads: int) -> int:
    """Bytes that a worker may take: its share of the smallest node that has room for one."""
    import ray

    shares = [
        int(node["Resources"].get("memory", 0)) // max(1, int(node["Resources"]["CPU"]) // threads)
        for node in ray.nodes()
        if node["Alive"] and node["Resources"].get("CPU", 0) >= threads
    ]
    return min(shares, default=sys.maxsize)


def check_room(needed: int, given: int) -> None:
    """Refuse turns that no worker has room for.

    Raises:
        TooLargeError: says what would help.
    """
    if needed > given:
        raise TooLargeError(
            f"a turn takes {needed / 1e9:,.1f} GB of memory, and a worker has {given / 1e9:,.1f}; "
            "prepare the graph in more partitions (transa prepare --memory), give workers more "
            "memory, or fewer dimensions (--dim)"
        )
