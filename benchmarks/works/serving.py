"""Answers a second over HTTP, FB15K's size, d 200, beside the ranking kernel and a naive server.

Server and clients share the machine. Batches show what the server costs beside its kernel; single
questions, at half of the load it can bear, how long one waits. `SOAK` seconds at that load show
whether memory stays flat: 600 in a full run, or as TRANSA_SOAK says.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import httpx
import numpy as np

from benchmarks.machine import THREADS
from benchmarks.records import Point, Score, Side
from benchmarks.tasks import rounded_vectors
from transa import datasets
from transa.models import FittedModel, TransEEnergy
from transa.ranking.ranks import rank
from transa.settings.config import make_settings
from transa.storage.folder import SavedModel, save
from transa.storage.record import TrainingRecord

TITLE = f"Serving, d 200, L1, {THREADS} threads, clients on the same machine"
PEERS = False
DIM, K, BATCH, CLIENTS = 200, 10, 500, 16
SHARE, WAIT_MS, GROWTH = 0.5, 50.0, 0.05


def points(_: list[ModuleType], quick: bool) -> Iterator[Point]:
    """Batches, single questions, a soak."""
    graph = datasets.load("wn18" if quick else "fb15k")
    energy = TransEEnergy(DIM, "l1")
    model = FittedModel(energy, rounded_vectors(graph, DIM), graph)
    seconds, rounds = (3.0, 2) if quick else (10.0, 5)
    soak = float(os.environ.get("TRANSA_SOAK", 10 if quick else 600))
    questions = [
        {"head": graph.entities.label(int(h)), "relation": graph.relations.label(int(r))}
        for h, r, _ in graph.test[:20_000]
    ]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "model"
        settings = make_settings("transe", dim=DIM, norm="l1")
        save(place, SavedModel(settings, model, TrainingRecord((), 0, "finished")))
        yield in_batches(model, place, questions, seconds, rounds)
        yield from singly(place, questions, seconds, rounds, soak)


def in_batches(
    model: FittedModel, place: Path, questions: list[dict[str, str]], seconds: float, rounds: int
) -> Point:
    """Questions a second in batches, beside those that the kernel ranks."""
    triples = model.graph.test[:4000]
    rank(model, triples[:100])  # compiles
    ours, kernel = [], []
    with served(place) as address:
        asyncio.run(load(address, questions, 1.0, 4, BATCH))
        for _ in range(rounds):
            kernel.append(ranked_a_second(model, triples))
            ours.append(asyncio.run(load(address, questions, seconds, 4, BATCH)).a_second)
    server, alone = Side("server", tuple(ours)), Side("ranking kernel", tuple(kernel))
    shares = tuple(s / k for s, k in zip(ours, kernel, strict=True))
    return Point(
        name=f"{model.graph.name}, batches of {BATCH}, k {K}",
        unit="questions/s",
        sides=(server, alone),
        scores=(Score("of the kernel without a server", shares, SHARE),),
    )


def ranked_a_second(model: FittedModel, triples: np.ndarray) -> float:
    """Distinct questions that the ranking kernel answers in a second, both sides."""
    distinct = len(np.unique(triples[:, :2], axis=0)) + len(np.unique(triples[:, 1:], axis=0))
    began = time.perf_counter()
    rank(model, triples, threads=THREADS)
    return distinct / (time.perf_counter() - began)


def singly(
    place: Path, questions: list[dict[str, str]], seconds: float, rounds: int, soak: float
) -> Iterator[Point]:
    """One question a request: the greatest load of both servers, then half of it for a while."""
    most, naive, waits = [], [], []
    with served(place) as address, naive_server(place) as other:
        asyncio.run(load(address, questions, 1.0, CLIENTS))
        asyncio.run(load(other, questions, 1.0, CLIENTS))
        for _ in range(rounds):
            most.append(asyncio.run(load(address, questions, seconds, CLIENTS)).a_second)
            naive.append(asyncio.run(load(other, questions, seconds, CLIENTS)).a_second)
            half = statistics.median(most) / 2
            waits.append(1000 * asyncio.run(paced(address, questions, seconds, half)).p99)
    yield Point(
        name="one question a request",
        unit="questions/s",
        sides=(Side("server", tuple(most)), Side("one PyTorch call a request", tuple(naive))),
        scores=(
            Score("ms p99 at half of the greatest load", tuple(waits), WAIT_MS, "at most"),
            Score("times the naive server", tuple(a / b for a, b in zip(most, naive, strict=True))),
        ),
    )
    with served(place) as address:
        asyncio.run(paced(address, questions, max(5.0, soak / 10), half))
        before = memory_of(address)
        soaked = asyncio.run(paced(address, questions, soak, half))
        after = memory_of(address)
    yield Point(
        name=f"{soak:.0f} s at half of the greatest load",
        unit="MB",
        sides=(Side("at the start", (before / 1e6,)), Side("at the end", (after / 1e6,))),
        scores=(
            Score("growth of memory", (after / before - 1,), GROWTH, "at most"),
            Score("errors", (float(soaked.errors),), 0.0, "at most"),
        ),
        notes=(f"{len(soaked.waits):,} requests, p99 {1000 * soaked.p99:.1f} ms",),
    )


class Load:
    """What clients saw."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.questions, self.errors, self.seconds = 0, 0, 0.0

    @property
    def a_second(self) -> float:
        """Questions that were answered."""
        return self.questions / self.seconds

    @property
    def p99(self) -> float:
        """Seconds that all but one request in a hundred took less than."""
        return float(np.quantile(self.waits, 0.99))


async def load(
    address: str, questions: list[dict[str, str]], seconds: float, clients: int, batch: int = 1
) -> Load:
    """As many requests as so many clients can make, each waiting for its answer."""
    seen, over = Load(), time.perf_counter() + seconds
    limits = httpx.Limits(max_connections=clients)
    async with httpx.AsyncClient(base_url=address, timeout=60, limits=limits) as client:

        async def ask(first: int) -> None:
            at = first * 997
            while time.perf_counter() < over:
                some = [questions[(at + i) % len(questions)] for i in range(batch)]
                at += batch
                await one(client, some, seen)

        began = time.perf_counter()
        await asyncio.gather(*(ask(n) for n in range(clients)))
        seen.seconds = time.perf_counter() - began
    return seen


async def paced(
    address: str, questions: list[dict[str, str]], seconds: float, a_second: float
) -> Load:
    """Requests at a steady rate, whether or not those before are answered."""
    seen, running = Load(), set()
    limits = httpx.Limits(max_connections=200, max_keepalive_connections=200)
    async with httpx.AsyncClient(base_url=address, timeout=60, limits=limits) as client:
        began = time.perf_counter()
        for n in range(int(seconds * a_second)):
            due = began + n / a_second
            if (left := due - time.perf_counter()) > 0:
                await asyncio.sleep(left)
            task = asyncio.create_task(one(client, [questions[n % len(questions)]], seen))
            running.add(task)
            task.add_done_callback(running.discard)
        await asyncio.gather(*running)
        seen.seconds = time.perf_counter() - began
    return seen


async def one(client: httpx.AsyncClient, some: list[dict[str, str]], seen: Load) -> None:
    """One request, and how long it took."""
    began = time.perf_counter()
    if len(some) == 1:
        said = await client.get("/api/v1/tails", params={**some[0], "k": K})
    else:
        said = await client.post("/api/v1/tails", json={"questions": some, "k": K})
    seen.waits.append(time.perf_counter() - began)
    seen.questions += len(some)
    seen.errors += said.status_code != 200


@contextmanager
def served(place: Path) -> Iterator[str]:
    """`transa serve` in a process of its own."""
    command = [sys.executable, "-m", "transa", "serve", str(place), "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        address = re.search(r"http://\S+", process.stderr.readline())[0]
        httpx.get(f"{address}health", timeout=120)
        yield address
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


@contextmanager
def naive_server(place: Path) -> Iterator[str]:
    """The same question by one PyTorch call a request."""
    command = [sys.executable, "-m", "benchmarks.contestants.naive_server", str(place)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        address = process.stdout.readline().strip()
        for _ in range(600):
            try:
                httpx.get(f"{address}/health", timeout=120)
                break
            except httpx.TransportError:
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(60)


def memory_of(address: str) -> int:
    """Bytes that are the server's own: what its /metrics tell of its process."""
    text = httpx.get(f"{address}metrics").text
    return int(float(re.search(r"^process_resident_memory_bytes (\S+)", text, re.M)[1]))
