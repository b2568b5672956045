"""Connections that cost more than they should: idle, dripping, or too many of them."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from transa.serving.problems import MEDIA_TYPE, Problem


class BoundedProtocol(HttpToolsProtocol):
    """HTTP as uvicorn speaks it, with a bound on open connections and on the time a head takes.

    uvicorn closes connections that idle between requests, but waits for ever for the first byte of
    a new one and for the end of a head that comes byte by byte. Its own limit on connections is
    looked at only once a head has arrived, so that silent ones would use up all descriptors.
    """

    def __init__(
        self,
        *arguments: Any,  # noqa: ANN401 (uvicorn's)
        most_connections: int,
        head_seconds: float,
        **options: Any,  # noqa: ANN401 (uvicorn's)
    ) -> None:
        super().__init__(*arguments, **options)
        self.most_connections, self.head_seconds = most_connections, head_seconds
        self._head: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Turn away those that are too many; begin to wait for a head."""
        super().connection_made(transport)
        if len(self.connections) > self.most_connections:
            self._refuse(Problem(503, "too many connections are open; try again later"))
        else:
            self._wait_for_head()

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        super().on_message_begin()
        if self._head is None:
            self._wait_for_head()

    def on_headers_complete(self) -> None:
        """The end of its head."""
        self._stop_waiting()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        self._stop_waiting()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP is told so in the form of all other problems."""
        self._stop_waiting()
        self._refuse(Problem(400, msg))

    def _wait_for_head(self) -> None:
        self._head = self.loop.call_later(self.head_seconds, self._too_slow)

    def _stop_waiting(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _too_slow(self) -> None:
        self._refuse(Problem(408, f"no request within {self.head_seconds:g} s"))

    def _refuse(self, problem: Problem) -> None:
        body = problem.body()
        head = (
            f"HTTP/1.1 {problem.status} \r\ncontent-type: {MEDIA_TYPE}\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode("ascii") + body)
        self.transport.close()
