"""A server under whatever can be sent, and over a folder that is replaced or spoilt.

Requests are by its own OpenAPI document, and against it; some are no HTTP, or never end. Every
answer is a good one or a problem in one sentence, none is a mistake of the server, and it serves
on, in as much memory as before.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

from torture.outcomes import Ending, Outcome, Outcomes
from torture.scene import LONGEST, TRANSA, full_model, model

_PORT = re.compile(r"http://127\.0\.0\.1:(\d+)/")
_TEXTS = (
    "t1",
    "t2",
    "t39",
    "near",
    "linked",
    "T1",
    "",
    "?",
    "t999",
    "<b>",
    "\0",
    "é",
    "a" * 20_000,
)
_NUMBERS: tuple[Any, ...] = (
    *(0, 1, 3, 100, -1, 10**9, 10**40, 0.5, 1e308, float("nan"), float("inf")),
    *("1", "x", None, True, [], {}),
)
_GARBAGE = (b"\0", b"\r\n\r\n", b"\x16\x03\x01\x02\x00", b"GET / HTTP/9.9\r\n\r\n", b"{" * 3000)
_HEADERS = (
    *("Host: evil.example", "Host: localhost", "Content-Length: 99999999999", "Content-Length: -1"),
    *("Transfer-Encoding: chunked", "Expect: 100-continue", "Content-Type: text/plain"),
    *("Sec-Fetch-Site: cross-site", "Origin: http://evil.example", "X: " + "y" * 70_000),
)
_MOST_GROWTH = 400 << 20
_LEFT_OPEN = 50


def phase(rng: Random, deadline: float) -> Outcomes:
    """Requests until the deadline."""
    outcomes, number = Outcomes(), 0
    with tempfile.TemporaryDirectory(prefix="torture-") as name, _served(Path(name)) as server:
        models = [full_model(1), model(2)]
        while number < 60 or time.monotonic() < deadline:
            if number % 500 == 20:
                outcomes.add(_other_folder(rng, server, models), f"serving {number}")
            else:
                outcomes.add(server.once(rng), f"serving {number}")
            number += 1
        outcomes.add(server.ended(), "serving, at the end")
    return outcomes


class _Server:
    def __init__(self, process: subprocess.Popen[str], folder: Path, port: int) -> None:
        self.process, self.folder, self.port = process, folder, port
        self.open: list[socket.socket] = []
        document = json.loads(self.asked("GET", "/api/openapi.json").read())
        self._ways = [
            (method.upper(), path, about)
            for path, methods in document["paths"].items()
            for method, about in methods.items()
        ]
        self._schemas = document["components"]["schemas"]
        # Whatever is made when it is first asked for, before memory is looked at.
        for path in ("map", "model/test", "discover", "tails?head=t1&relation=near"):
            self.asked("GET", f"/api/v1/{path}").read()
        self._memory = self._resident()

    def asked(self, method: str, path: str, body: bytes | None = None) -> HTTPResponse:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=LONGEST)
        headers = {"Content-Type": "application/json"} if method == "POST" else {}
        connection.request(method, path, body, headers)
        return connection.getresponse()

    def once(self, rng: Random) -> Outcome:
        way = rng.random()
        if way < 0.08:
            return self._broken(rng)
        method, path, about = rng.choice(self._ways)
        body = None
        if method == "POST":
            body = json.dumps(self._body(rng, about)).encode()
            if rng.random() < 0.1:
                body = body[: rng.randrange(len(body) + 1)]
        else:
            path += "?" + "&".join(
                f"{each['name']}={quote(str(self._value(rng, each['name'])))}"
                for each in about.get("parameters", ())
                if rng.random() < 0.9
            )
        asked = f"{method} {path:.200} {body or b''!r:.300}"
        try:
            answer = self.asked(method, path, body)
            return _judged(asked, answer.status, answer.headers.get("content-type"), answer.read())
        except (OSError, HTTPException) as error:
            # A refusal may come before all has been sent; then nothing more is taken.
            fine = isinstance(error, ConnectionError) and len(path) + len(body or b"") > 1 << 14
            return Outcome(Ending.REFUSED if fine else Ending.CRASHED, f"{asked}: {error!r}")

    def _value(self, rng: Random, name: str) -> Any:  # noqa: ANN401 (whatever JSON can hold)
        sensible = {"relation": "near", "k": 3, "top": 5, "min_probability": 0.1, "known": "true"}
        if rng.random() < 0.6:
            return sensible.get(name, f"t{rng.randrange(40)}")
        return rng.choice((*_TEXTS, *_NUMBERS))

    def _body(self, rng: Random, about: dict[str, Any]) -> Any:  # noqa: ANN401
        schema = about["requestBody"]["content"]["application/json"]["schema"]
        return self._made(rng, schema, "")

    def _made(self, rng: Random, schema: dict[str, Any], name: str) -> Any:  # noqa: ANN401
        """Something of this schema, or something else."""
        if rng.random() < 0.03:
            return rng.choice((*_TEXTS, *_NUMBERS))
        if "$ref" in schema:
            schema = self._schemas[schema["$ref"].rpartition("/")[2]]
        if schema.get("type") == "object":
            fields = {key: self._made(rng, of, key) for key, of in schema["properties"].items()}
            if rng.random() < 0.03:
                fields[rng.choice(("x", "k", ""))] = rng.choice(_NUMBERS)
            return fields
        if schema.get("type") == "array":
            inner = schema.get("prefixItems")
            if inner:
                return [self._made(rng, of, place) for of, place in zip(inner, "hrt", strict=True)]
            count = rng.choice((0, 1, 1, 3, 30, 20_000 if rng.random() < 0.02 else 2))
            return [self._made(rng, schema["items"], name.rstrip("s"))] * count
        return self._value(rng, {"r": "relation", "known": "k"}.get(name, name))

    def _broken(self, rng: Random) -> Outcome:
        """What is no good HTTP; some of it is never ended."""
        lines = [f"{rng.choice(('GET', 'POST', 'BREW'))} {rng.choice(_PATHS)} HTTP/1.1"]
        lines += rng.choices(_HEADERS, k=rng.randrange(4))
        sent = "\r\n".join(lines).encode() + b"\r\n\r\n" * rng.randrange(2)
        sent = rng.choice((sent, sent, rng.choice(_GARBAGE), rng.randbytes(rng.randrange(2000))))
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=LONGEST)
        with suppress(OSError):
            connection.sendall(sent)
        self.open.append(connection)
        if len(self.open) > _LEFT_OPEN:
            self.open.pop(rng.randrange(len(self.open))).close()
        return Outcome(Ending.REFUSED if self._is_well() else Ending.LOST, f"after {sent!r:.300}")

    def _is_well(self) -> bool:
        try:
            return self.process.poll() is None and self.asked("GET", "/health").status == 200
        except (OSError, HTTPException):
            return False

    def _resident(self) -> int:
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def ended(self) -> Outcome:
        """It has not swollen, and ends when it is told."""
        grown = self._resident() - self._memory
        for connection in self.open:
            connection.close()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(LONGEST)
        if grown > _MOST_GROWTH or code not in (0, -signal.SIGTERM):
            return Outcome(Ending.CRASHED, f"grew by {grown >> 20} MB, ended with {code}")
        return Outcome(Ending.SURVIVED)


_PATHS = (
    "/",
    "/health",
    "/api/v1/tails",
    "/page/../../etc/passwd",
    "/page/%2e%2e/x",
    "//",
    "*",
    "x",
)


def _judged(asked: str, status: int, kind: str | None, body: bytes) -> Outcome:
    if status == 200:
        return Outcome(Ending.SURVIVED)
    try:
        detail = json.loads(body)["detail"]
    except (ValueError, KeyError, TypeError):
        detail = ""
    fine = kind == "application/problem+json" and detail and "\n" not in detail
    fine = fine and status in (400, 404, 405, 408, 409, 413, 415, 421, 422, 503, 504)
    return Outcome(Ending.REFUSED if fine else Ending.CRASHED, f"{asked}: {status}, {body!r:.300}")


def _other_folder(rng: Random, server: _Server, models: list[Any]) -> Outcome:
    """Another model in the folder, or one that is spoilt: what is served stays a good one."""
    # Where one was spoilt, nothing tells that it was a model's, and a save would leave it alone.
    shutil.rmtree(server.folder)
    rng.choice(models).save(server.folder)
    if rng.random() < 0.4:
        spoilt = server.folder / rng.choice(("config.json", "entities.parquet", "checksums.json"))
        spoilt.write_bytes(rng.randbytes(100))
    time.sleep(1.5)
    answer = server.asked("GET", "/api/v1/tails?head=t1&relation=near")
    ending = Ending.SURVIVED if answer.status == 200 else Ending.LOST
    return Outcome(ending, f"after another folder: {answer.status}, {answer.read()!r:.300}")


@contextmanager
def _served(place: Path) -> Iterator[_Server]:
    folder = place / "model"
    full_model().save(folder)
    with (
        (place / "said.txt").open("w+") as said,
        subprocess.Popen(
            [*TRANSA, "serve", str(folder), "--port", "0"], stderr=said, text=True
        ) as process,
    ):
        try:
            over = time.monotonic() + LONGEST
            while not (found := _PORT.search((place / "said.txt").read_text())):
                if process.poll() is not None or time.monotonic() > over:
                    raise RuntimeError(f"no server: {(place / 'said.txt').read_text()}")
                time.sleep(0.05)
            yield _Server(process, folder, int(found[1]))
        finally:
            process.kill()
