"""A server from start to end: its socket, its workers, its signals."""

from __future__ import annotations

import logging
import multiprocessing
import os
import secrets
import shutil
import signal
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import uvicorn
from uvicorn.supervisors import Multiprocess

from transa.errors import ConfigError
from transa.serving.connections import BoundedProtocol
from transa.serving.metrics import FOLDER
from transa.serving.options import Serving

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

    from starlette.types import ASGIApp

# Connections that wait to be taken up; seconds that running requests have once told to end.
_BACKLOG = 2048
_DRAIN_SECONDS = 30
# Descriptors that are not for connections.
_OTHERS = 64


def listening(serving: Serving) -> socket.socket:
    """A socket at the address asked for. Clients may connect at once; they wait till it serves.

    Raises:
        ConfigError: if the address cannot be had.
    """
    family = socket.AF_INET6 if ":" in serving.host else socket.AF_INET
    found = socket.socket(family)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((serving.host, serving.port))
        found.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        found.close()
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(
            f"cannot listen at {serving.host}, port {serving.port} ({reason}); choose another "
            "--port or --host"
        ) from error
    return found


def with_token(serving: Serving) -> Serving:
    """The same, with a token where others can reach it and none was given."""
    if serving.is_local or serving.token:
        return serving
    return replace(serving, token=secrets.token_urlsafe(24))


def address_of(serving: Serving, listener: socket.socket) -> str:
    """Where a browser finds the page."""
    port = listener.getsockname()[1]
    host = f"[{serving.host}]" if ":" in serving.host else serving.host
    shown = "localhost" if host in ("0.0.0.0", "[::]") else host  # noqa: S104 (is not bound here)
    return f"http://{shown}:{port}/" + (f"?token={serving.token}" if serving.token else "")


def config_of(serving: Serving, workers: int = 1) -> uvicorn.Config:
    """How uvicorn is to serve."""
    from transa.serving.app import application

    made = application if workers == 1 else _as_worker
    limits = serving.limits
    return uvicorn.Config(
        partial(made, serving),
        factory=True,
        workers=workers,
        http=partial(  # type: ignore[arg-type] # any maker of protocols will do
            BoundedProtocol,
            most_connections=_most_connections(limits.connections),
            head_seconds=limits.head_seconds,
        ),
        ws="none",
        lifespan="on",
        log_level=logging.WARNING,
        access_log=False,
        server_header=False,
        timeout_keep_alive=max(1, int(limits.head_seconds)),
        timeout_graceful_shutdown=_DRAIN_SECONDS,
        timeout_worker_healthcheck=_DRAIN_SECONDS,
    )


def serve(serving: Serving, listener: socket.socket, workers: int = 1) -> None:
    """Serve until told to end by SIGTERM or Ctrl-C; requests that run are answered first."""
    with _counting_together(workers):
        config = config_of(serving, workers)
        if workers > 1:
            Multiprocess(config, [listener]).run()
        else:
            uvicorn.Server(config).run([listener])


def _as_worker(serving: Serving) -> ASGIApp:
    """The application in a worker, which ends when the process that started it is no more."""
    from transa.serving.app import application

    def end_with(parent: BaseProcess) -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    if (parent := multiprocessing.parent_process()) is not None:
        threading.Thread(target=end_with, args=(parent,), daemon=True).start()
    return application(serving)


@contextmanager
def _counting_together(workers: int) -> Iterator[None]:
    """A folder in which several workers count, so that /metrics of any tells of all."""
    if workers == 1:
        yield
        return
    folder = tempfile.mkdtemp(prefix="transa-metrics-")
    os.environ[FOLDER] = folder
    try:
        yield
    finally:
        del os.environ[FOLDER]
        shutil.rmtree(folder, ignore_errors=True)


def _most_connections(wanted: int) -> int:
    """As many as are wanted, or as the system has descriptors for once it was asked for more."""
    try:
        import resource
    except ImportError:  # Windows
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = wanted + _OTHERS
    if soft < enough:
        soft = enough if hard == resource.RLIM_INFINITY else min(hard, enough)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(1, min(wanted, soft - _OTHERS))
