"""The command: processes, signals, a folder that changes, workers."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import socket
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.serving.conftest import copied, serving, until
from transa import TransE
from transa.cli import main
from transa.serving import holding

QUESTION = {"head": "town 3", "relation": "near", "k": 3}


@pytest.fixture
def command(call_in_process):
    return call_in_process(main)


def test_sigterm_lets_running_requests_end(start, folder):
    server = start(folder)
    questions = [{"head": f"town {i % 30}", "relation": "near"} for i in range(1000)]
    with server.client() as client, ThreadPoolExecutor(4) as pool:
        assert client.get("/health").status_code == 200

        def ask() -> httpx.Response:
            return client.post("/api/v1/tails", json={"questions": questions, "k": 30})

        running = [pool.submit(ask) for _ in range(4)]
        until(lambda: "transa_requests_running 5.0" in client.get("/metrics").text or done(running))
        server.process.send_signal(signal.SIGTERM)
        assert [each.result().status_code for each in running] == [200] * 4
    _, errors = server.process.communicate(timeout=60)
    assert server.process.returncode == -signal.SIGTERM
    assert errors == ""


def done(futures) -> bool:
    return all(each.done() for each in futures)


def test_ctrl_c_ends_it(start, folder):
    server = start(folder)
    with server.client() as client:
        assert client.get("/health").status_code == 200
    server.process.send_signal(signal.SIGINT)
    _, errors = server.process.communicate(timeout=60)
    assert (server.process.returncode, errors) == (130, "")


def test_a_replaced_folder_is_taken_up_and_no_request_dropped(ring, awkward, tmp_path):
    folder = copied(ring, tmp_path / "m")
    other = TransE(dim=6, epochs=1, seed=5, threads=1).fit(awkward)
    before = [p.label for p in ring.predict_tails("town 3", "near", 3)]
    after = [p.label for p in other.predict_tails("town 3", "near", 3)]
    assert before != after
    seen, stop = [], threading.Event()

    def keep_asking(client: httpx.Client) -> None:
        while not stop.is_set():
            said = client.get("/api/v1/tails", params=QUESTION)
            seen.append((said.status_code, [a["label"] for a in said.json().get("answers", [])]))

    with serving(folder, look_seconds=0.05) as client, ThreadPoolExecutor(3) as pool:
        asking = [pool.submit(keep_asking, client) for _ in range(3)]
        until(lambda: len(seen) > 30)
        other.save(folder)
        until(lambda: seen[-1][1] == after)
        stop.set()
        for each in asking:
            each.result()
        assert client.get("/api/v1/model").json()["model"] == "transe"
    assert {status for status, _ in seen} == {200}
    assert {tuple(labels) for _, labels in seen} == {tuple(before), tuple(after)}


def test_a_folder_that_becomes_wrong_leaves_the_model_of_before(ring, tmp_path):
    folder = copied(ring, tmp_path / "m")
    with serving(folder, look_seconds=0.05) as client:
        before = client.get("/api/v1/tails", params=QUESTION).json()
        (folder / "checksums.json").write_text("{}")
        until(lambda: 'loads_total{outcome="refused"} 1.0' in client.get("/metrics").text)
        assert client.get("/api/v1/tails", params=QUESTION).json() == before
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
        assert client.get("/api/v1/tails", params=QUESTION).json() == before
        # What is put there again is taken up again.
        ring.save(folder)
        until(lambda: 'loads_total{outcome="read"} 2.0' in client.get("/metrics").text)


def test_a_model_that_cannot_be_read_for_any_reason_does_not_end_the_watch(
    ring, tmp_path, monkeypatch
):
    folder = copied(ring, tmp_path / "m")
    with serving(folder, look_seconds=0.05) as client:
        # The first model has been read once there is an answer.
        assert client.get("/health", timeout=120).status_code == 200
        with monkeypatch.context() as patched:
            patched.setattr(holding, "NameIndex", lambda *_: bytes(1 << 60))
            ring.save(folder)
            until(lambda: 'loads_total{outcome="refused"} 1.0' in client.get("/metrics").text)
        ring.save(folder)
        until(lambda: 'loads_total{outcome="read"} 2.0' in client.get("/metrics").text)


def test_workers_share_the_work_and_count_together(start, folder):
    server = start(folder, "--workers", 2)
    with server.client(headers={"connection": "close"}) as client:
        for _ in range(40):
            assert client.get("/api/v1/tails", params=QUESTION).status_code == 200
        text = client.get("/metrics").text
    assert 'transa_requests_total{path="/api/v1/tails",status="200"} 40.0' in text
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(60) == 0


@pytest.mark.skipif(not os.path.exists("/proc/self/smaps"), reason="no /proc")  # noqa: PTH110
def test_workers_map_the_tables_from_their_file(start, folder):
    server = start(folder, "--workers", 2)
    with server.client() as client:
        client.get("/health")
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(server.process.pid)], capture_output=True, text=True
    ).stdout.split()
    assert len(listed) >= 2
    mapping = [p for p in listed if "parameters.safetensors" in open(f"/proc/{p}/maps").read()]  # noqa: SIM115, PTH123
    assert mapping
    # Workers do not outlive the process that started them, however it ended.
    server.process.kill()
    server.process.communicate(timeout=60)


def test_others_need_the_token_that_is_printed(start, folder):
    server = start(folder, "--host", "0.0.0.0")
    assert "?token=" in server.address
    with server.client() as client:
        assert client.get("/api/v1/model").status_code == 401
        client.get(server.address)
        assert client.get("/api/v1/model").status_code == 200


def test_a_token_of_ones_own(start, folder, tmp_path):
    (tmp_path / "token").write_text("sixteen-letters-or-more\n")
    server = start(folder, "--token-file", tmp_path / "token")
    with server.client() as client:
        assert client.get("/api/v1/model").status_code == 401
        shown = {"authorization": "Bearer sixteen-letters-or-more"}
        assert client.get("/api/v1/model", headers=shown).status_code == 200


def test_a_token_of_the_environment(start, folder):
    server = start(folder, environment={"TRANSA_TOKEN": "another-long-enough-token"})
    assert server.address.endswith("?token=another-long-enough-token")


def test_tokens_that_will_not_do(command, folder, tmp_path):
    (tmp_path / "short").write_text("abc")
    assert command("serve", folder, "--token-file", tmp_path / "short").is_refused("16")
    assert command("serve", folder, "--token-file", tmp_path / "none").is_refused("cannot be read")


def test_no_model_there(command, tmp_path):
    assert command("serve", tmp_path / "none").is_refused("no such folder")


def test_a_folder_whose_files_contradict_each_other(command, ring, tmp_path):
    folder = copied(ring, tmp_path / "m")
    log, sums = folder / "log.jsonl", folder / "checksums.json"
    log.write_text("")
    told = json.loads(sums.read_text())
    told["log.jsonl"] = hashlib.sha256(b"").hexdigest()
    sums.write_text(json.dumps(told))
    assert command("serve", folder).is_refused("not a folder that transa wrote")


def test_a_port_that_is_taken(command, folder):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert command("serve", folder, "--port", port).is_refused("cannot listen", "--port")


def test_an_address_that_is_not_here(command, folder):
    assert command("serve", folder, "--host", "192.0.2.1").is_refused("cannot listen")


def test_ipv6(start, folder):
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        pytest.skip("this machine has no IPv6")
    server = start(folder, "--host", "::1")
    assert httpx.get(f"{server.address}health", timeout=60).status_code == 200


def test_the_page_is_opened_in_a_browser(start, folder, tmp_path):
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}\n')
    browser.chmod(0o755)
    server = start(folder, "--open", environment={"BROWSER": f"{browser} %s"})
    until(lambda: seen.is_file() and seen.read_text())
    assert seen.read_text().strip() == server.address


def test_without_the_extra_it_is_told_in_a_sentence(folder):
    from tests.test_optional import COMMAND, without

    done = without("fastapi", COMMAND.format(words=["serve", str(folder)]))
    assert done.stderr == "transa: transa serve needs fastapi: pip install 'transa[serve]'\n"
    assert done.returncode == 2
