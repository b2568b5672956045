"""Real servers, in a thread of this process or in one of their own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np
import pytest
import uvicorn

from transa import Estimator, Graph, TransA, Vocabulary
from transa.serving.options import Limits, Serving
from transa.serving.running import config_of, listening

SCRIPT = "<script>alert(1)</script>"
ARABIC, CHINESE = "القاهرة", "北京市"


@pytest.fixture(scope="session")
def awkward() -> Graph:
    """Towns along a ring; some of them have names that are hard on a page."""
    names = [SCRIPT, ARABIC, CHINESE, "Zürich", "a/b?c#d&e=%2F", "☃"]
    labels = names + [f"town {i}" for i in range(34)]
    n = len(labels)
    near = [(i, 0, (i + step) % n) for i in range(n) for step in (1, 2, n - 1, n - 2)]
    after = [(i, 1, (i + 1) % n) for i in range(n)]
    triples = np.array(near + after, dtype=np.int32)
    order = np.random.default_rng(0).permutation(len(triples))
    return Graph(
        train=triples[order[:150]],
        valid=triples[order[150:175]],
        test=triples[order[175:]],
        entities=Vocabulary("entity", labels),
        relations=Vocabulary("relation", ["near", "after <b>"]),
        name="ring",
    )


@pytest.fixture(scope="session")
def ring(awkward) -> TransA:
    """A model of the ring, with thresholds."""
    options = {"epochs": 30, "validate_every": 10, "patience": 0, "threads": 1}
    return TransA(dim=12, **options).fit(awkward).fit_thresholds()


@pytest.fixture(scope="session")
def folder(ring, tmp_path_factory) -> Path:
    """Its folder, which no test changes."""
    path = tmp_path_factory.mktemp("served") / "model"
    ring.save(path)
    return path


@contextmanager
def serving(folder: Path, **options: object) -> Iterator[httpx.Client]:
    """A server in a thread of this process, and a client of it."""
    told = Serving(folder=folder, **{"port": 0, **options})
    listener = listening(told)
    server = uvicorn.Server(config_of(told))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    thread.start()
    try:
        with httpx.Client(base_url=address, timeout=60) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join(60)


@pytest.fixture(scope="session")
def client(folder) -> Iterator[httpx.Client]:
    """A client of a server with small limits."""
    limits = Limits(body=200_000, batch=50, k=60, seconds=60)
    with serving(folder, limits=limits) as client:
        yield client


class Started:
    """`transa serve` in a process of its own."""

    def __init__(self, *words: object, environment: dict[str, str] | None = None) -> None:
        command = [sys.executable, "-m", "transa", "serve", *map(str, words), "--port", "0"]
        self.process = subprocess.Popen(
            command,
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **(environment or {})},
        )
        self.told = self.process.stderr.readline()
        found = re.search(r"http://\S+", self.told)
        assert found, self.told + self.process.stderr.read()
        self.address = found[0]

    def client(self, **options: object) -> httpx.Client:
        return httpx.Client(base_url=self.address.partition("?")[0], timeout=60, **options)

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


@pytest.fixture
def start():
    """Starts servers, and ends them with the test."""
    running: list[Started] = []

    def begin(*words: object, **options: object) -> Started:
        running.append(Started(*words, **options))
        return running[-1]

    yield begin
    for server in running:
        server.end()


def until(holds, seconds: float = 60) -> None:
    """Wait for something that other threads or processes are about to do."""
    over = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < over, "it did not come to pass"
        time.sleep(0.02)


def copied(model: Estimator, folder: Path) -> Path:
    """A folder of its own for a test that changes it."""
    model.save(folder)
    return folder
