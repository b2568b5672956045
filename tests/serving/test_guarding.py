"""Who may ask."""

from __future__ import annotations

import pytest

from tests.serving.conftest import serving

TOKEN = "a-token-of-the-test"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:80", "[::1]:8000"])
def test_names_of_this_machine(client, host):
    assert client.get("/health", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "10.0.0.1", ""])
def test_a_rebound_name_is_refused(client, host):
    refused = client.get("/api/v1/model", headers={"host": host})
    assert (refused.status_code, "localhost" in refused.json()["detail"]) == (421, True)


def test_other_sites_cannot_ask(client):
    crossing = {"sec-fetch-site": "cross-site", "origin": "https://evil.example"}
    refused = client.get("/api/v1/model", headers=crossing)
    assert refused.status_code == 403
    assert client.get("/", headers=crossing).status_code == 200  # a link may lead to the page


def test_nothing_is_shared_across_origins(client):
    said = client.options("/api/v1/tails", headers={"origin": "https://evil.example"})
    asked = client.get("/api/v1/model", headers={"origin": "https://evil.example"})
    assert not [name for name in (*said.headers, *asked.headers) if "allow-origin" in name]


@pytest.mark.parametrize("path", ["/", "/api/v1/model", "/nothing", "/health"])
def test_every_answer_has_the_headers(client, path):
    headers = client.get(path).headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert "server" not in headers


def test_parts_of_the_page_are_sent_once(client):
    first = client.get("/page/main.js")
    again = client.get("/page/main.js", headers={"if-none-match": first.headers["etag"]})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")


@pytest.fixture(scope="module")
def guarded(folder):
    with serving(folder, host="0.0.0.0", token=TOKEN) as client:
        yield client


@pytest.mark.parametrize("path", ["/", "/api/v1/model", "/metrics", "/page/main.js", "/api"])
def test_without_the_token_nothing(guarded, path):
    refused = guarded.get(path)
    assert (refused.status_code, "token" in refused.json()["detail"]) == (401, True)
    assert TOKEN not in refused.text


@pytest.mark.parametrize("shown", ["Bearer no", "Basic " + TOKEN, TOKEN, "Bearer", "Bearer ü"])
def test_a_wrong_token(guarded, shown):
    headers = {"authorization": shown.encode()}
    assert guarded.get("/api/v1/model", headers=headers).status_code == 401


def test_a_wrong_token_in_the_address(guarded):
    assert guarded.get("/", params={"token": "no"}).status_code == 401


def test_the_token_by_header(guarded):
    headers = {"authorization": f"Bearer {TOKEN}"}
    assert guarded.get("/api/v1/model", headers=headers).status_code == 200


def test_the_token_by_the_address_that_is_printed(guarded):
    first = guarded.get("/", params={"token": TOKEN})
    assert (first.status_code, first.headers["location"]) == (303, "/")
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    guarded.cookies.clear()
    shown = {"cookie": f"transa_token={TOKEN}"}
    assert guarded.get("/api/v1/model", headers=shown).status_code == 200
    assert guarded.get("/api/v1/model", headers={"cookie": "=;;;a=b;"}).status_code == 401


def test_health_needs_none_and_any_host_will_do(guarded):
    assert guarded.get("/health", headers={"host": "model.example"}).status_code == 200
