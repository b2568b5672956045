"""Clients that are slow, silent or too many."""

from __future__ import annotations

import socket
from contextlib import ExitStack

import pytest

from tests.serving.conftest import serving, until
from tests.serving.test_bad_input import head_of, raw
from transa.serving.options import Limits


@pytest.fixture(scope="module")
def strict(folder):
    limits = Limits(head_seconds=0.3, connections=40, seconds=20)
    with serving(folder, limits=limits) as client:
        client.get("/health")
        yield client


def ended_with(connection: socket.socket) -> bytes:
    parts = []
    while part := connection.recv(4096):
        parts.append(part)
    return b"".join(parts)


def test_one_that_says_nothing_is_sent_away(strict):
    with raw(strict) as connection:
        assert b" 408 " in ended_with(connection)


def test_one_whose_head_does_not_end(strict):
    with raw(strict) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: loc")
        answer = ended_with(connection)
    assert b" 408 " in answer
    assert b"application/problem+json" in answer


def test_one_whose_second_head_does_not_end(strict):
    with raw(strict) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /hea")
        answer = ended_with(connection)
    assert answer.startswith(b"HTTP/1.1 200")
    assert b" 408 " in answer


def test_one_whose_body_does_not_come(strict):
    with raw(strict) as connection:
        connection.sendall(head_of("Content-Length: 100") + b"{")
        answer = ended_with(connection)
    assert b" 408 " in answer
    assert b"part of the body" in answer


def test_too_many_are_turned_away_and_the_others_served(folder):
    limits = Limits(head_seconds=30, connections=20)
    with serving(folder, limits=limits) as client, ExitStack() as stack:
        assert client.get("/health").status_code == 200
        silent = [stack.enter_context(raw(client)) for _ in range(19)]
        refused = [stack.enter_context(raw(client)) for _ in range(200)]
        assert all(b" 503 " in ended_with(connection) for connection in refused)
        # The one that was there before is served on.
        assert client.get("/health").status_code == 200
        for connection in silent:
            connection.close()
        until(lambda: is_let_in(client))


def is_let_in(client) -> bool:
    with raw(client) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return ended_with(connection).startswith(b"HTTP/1.1 200")


def test_a_request_that_takes_too_long_is_given_up(folder):
    questions = [{"head": "town 3", "relation": "near"}] * 1000
    with serving(folder, limits=Limits(seconds=0.002)) as client:
        refused = client.post("/api/v1/tails", json={"questions": questions})
    assert refused.status_code == 504
    assert "no answer within" in refused.json()["detail"]
