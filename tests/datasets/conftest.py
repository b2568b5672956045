"""A web server on this machine that stands for the public homes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pykeen.datasets
import pytest


@dataclass
class Mirror:
    """What the server has, and which of it breaks off half-way."""

    files: dict[str, bytes] = field(default_factory=dict)
    breaks_off: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, on a machine that has no benchmark graphs."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("TRANSA_CACHE", str(folder))
    monkeypatch.delenv("TRANSA_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return folder


@pytest.fixture
def mirror(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mirror]:
    """A running server, which downloads go to."""
    content = Mirror()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            part = self.path.lstrip("/")
            content.asked.append(part)
            if part not in content.files:
                self.send_error(404)
                return
            body = content.files[part]
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if part in content.breaks_off else body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setenv("TRANSA_MIRROR", f"http://127.0.0.1:{server.server_port}/")
        yield content
        server.shutdown()
        thread.join()


@pytest.fixture
def nations_at_home(mirror: Mirror) -> Mirror:
    """The server has nations, as published: PyKEEN carries its three files."""
    folder = Path(pykeen.datasets.__file__).with_name("nations")
    for split in ("train", "valid", "test"):
        part = f"pykeen/pykeen/v1.11.1/src/pykeen/datasets/nations/{split}.txt"
        mirror.files[part] = (folder / f"{split}.txt").read_bytes()
    return mirror
