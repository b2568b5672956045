"""A SPARQL endpoint on this machine: the protocol of SPARQL 1.1 over a store of pyoxigraph's."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import pyoxigraph as ox


class Server(ThreadingHTTPServer):
    """Answers queries; keeps what it was asked, and can be made to fail or to be stingy."""

    def __init__(self, store: ox.Store) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.store = store
        self.queries: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.faults: dict[int, tuple[int, dict[str, str]]] = {}
        """The answer to the nth query, instead of the true one: a status and headers."""
        self.content: bytes | None = None
        self.most_rows: int | None = None

    @property
    def address(self) -> str:
        return f"sparql+http://127.0.0.1:{self.server_address[1]}/sparql"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        server, (query,) = self.server, form["query"]
        server.queries.append(query)
        server.headers.append(dict(self.headers))
        status, headers = server.faults.pop(len(server.queries), (200, {}))
        if status != 200:
            self._answer(status, b"no\n  luck today", headers)
        elif server.content is not None:
            self._answer(200, server.content, {})
        else:
            graphs = [ox.NamedNode(graph) for graph in form.get("default-graph-uri", [])]
            try:
                found = server.store.query(query, default_graph=graphs or None)
                content = found.serialize(format=ox.QueryResultsFormat.JSON)
            except SyntaxError as error:
                self._answer(400, str(error).encode(), {})
                return
            self._answer(200, content, {"Content-Type": "application/sparql-results+json"})

    def _answer(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(store: ox.Store) -> Iterator[Server]:
    """A server, running."""
    with Server(store) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
