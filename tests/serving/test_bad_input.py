"""Whatever is sent: a clear refusal, and the server goes on."""

from __future__ import annotations

import socket

import pytest

from tests.serving.test_api import is_a_problem

QUESTION = {"head": "town 3", "relation": "near"}


@pytest.fixture(autouse=True)
def goes_on(client):
    yield
    assert client.get("/api/v1/tails", params=QUESTION).status_code == 200


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ("{", 400, "not JSON"),
        ("", 422, ""),
        ("[]", 422, ""),
        ("[" * 20_000, 400, ""),
        ('{"questions": "all"}', 422, "questions"),
        ('{"questions": [{"head": "town 3"}]}', 422, "questions.0.relation"),
        ('{"questions": [{"head": NaN, "relation": "near"}]}', 422, "questions.0.head"),
        ('{"questions": [], "k": NaN}', 422, "k"),
        ('{"questions": [], "k": 1e400}', 422, "k"),
        ('{"questions": [], "k": 0}', 422, "k"),
        ('{"questions": [], "k": 1000000000}', 422, "at most 60"),
        ('{"questions": [], "many": 1}', 422, "many"),
        (r'{"questions": [{"head": "\ud800", "relation": "near"}]}', 422, "questions.0.head"),
        ('{"questions": [{"head": "", "relation": "near"}]}', 422, "questions.0.head"),
    ],
)
def test_bodies(client, body, status, words):
    sent = {"content": body, "headers": {"content-type": "application/json"}}
    refused = client.post("/api/v1/tails", **sent)
    assert (refused.status_code, is_a_problem(refused)) == (status, True)
    assert words in refused.json()["detail"]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("tails?head=town+3", "relation"),
        ("tails?head=town+3&relation=near&k=0", "k"),
        ("tails?head=town+3&relation=near&k=1000000000", "at most 60"),
        ("tails?head=town+3&relation=near&k=nan", "k"),
        ("tails?head=town+3&relation=near&known=perhaps", "known"),
        ("discover?min_probability=nan", "min_probability"),
        ("discover?min_probability=2", "min_probability"),
        ("search/entities?q=" + "x" * 2000, "q"),
    ],
)
def test_queries(client, path, words):
    refused = client.get(f"/api/v1/{path}")
    assert (refused.status_code, is_a_problem(refused)) == (422, True)
    assert words in refused.json()["detail"]


def test_unknown_names_are_told_with_what_may_be_meant(client):
    refused = client.get("/api/v1/tails", params={"head": "twon 3", "relation": "near"})
    assert refused.status_code == 404
    assert "town 3" in refused.json()["did_you_mean"]
    assert "did you mean" in refused.json()["detail"]


def test_in_a_batch_it_is_told_which(client):
    questions = [QUESTION, {"head": "town 3", "relation": "nar"}]
    refused = client.post("/api/v1/tails", json={"questions": questions})
    assert refused.status_code == 404
    assert refused.json()["at"] == 1
    assert refused.json()["did_you_mean"] == ["near"]


def test_a_name_like_no_other(client):
    refused = client.get("/api/v1/entity", params={"label": "qqqqqqqqqqqqqqqqqqqqqqqqqq"})
    assert refused.json()["did_you_mean"] == []


def test_a_batch_that_is_too_large(client):
    refused = client.post("/api/v1/tails", json={"questions": [QUESTION] * 51})
    assert (refused.status_code, refused.json()["most"]) == (413, 50)


def test_a_body_that_is_not_json(client):
    refused = client.post("/api/v1/tails", content="head=town", headers={"content-type": "text/a"})
    assert (refused.status_code, is_a_problem(refused)) == (415, True)


def test_a_body_that_tells_it_is_huge_is_not_read(client):
    with raw(client) as connection:
        connection.sendall(head_of(f"Content-Length: {1 << 30}"))
        answer = connection.recv(4096)
    assert b" 413 " in answer
    assert b"application/problem+json" in answer


def test_a_body_that_never_ends_is_cut_off(client):
    """A gigabyte in chunks, of which no more is read than may be sent."""
    sent, chunk = 0, b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    with raw(client) as connection:
        connection.sendall(head_of("Transfer-Encoding: chunked"))
        try:
            while sent < 1 << 30:
                connection.sendall(chunk)
                sent += len(chunk)
        except OSError:
            pass
    assert sent < 1 << 26


def test_what_is_no_http(client):
    with raw(client) as connection:
        connection.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        answer = connection.recv(4096)
    assert b" 400 " in answer
    assert b"application/problem+json" in answer


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/nothing", "/page/nothing.js"])
def test_nothing_there(client, path):
    refused = client.get(path)
    assert (refused.status_code, is_a_problem(refused)) == (404, True)


def test_a_method_that_is_not_possible(client):
    refused = client.delete("/api/v1/tails")
    assert (refused.status_code, is_a_problem(refused)) == (405, True)


@pytest.mark.parametrize(
    "path", ["/page/../app.py", "/page/..%2fapp.py", "/page/%2e%2e/app.py", "/page//etc/passwd"]
)
def test_no_path_reaches_the_files(client, path):
    with raw(client) as connection:
        words = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        connection.sendall(words.encode())
        assert b" 404 " in connection.recv(4096).partition(b"\r\n")[0]


def raw(client) -> socket.socket:
    url = client.base_url
    return socket.create_connection((url.host, url.port), timeout=30)


def head_of(*lines: str) -> bytes:
    first = ["POST /api/v1/tails HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
    return ("\r\n".join([*first, *lines]) + "\r\n\r\n").encode()
