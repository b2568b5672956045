"""A hub on this machine: the few requests that pushing and pulling a model take."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

TOKEN = "hf_of_the_tests"


class Hub:
    """What it holds: for each repository its commits, each with all files."""

    def __init__(self) -> None:
        self.repositories: dict[str, dict[str, dict[str, bytes]]] = {}
        self.private: set[str] = set()

    def find(self, repo: str, revision: str) -> str | None:
        commits = list(self.repositories.get(repo, {}))
        if revision == "main":
            return commits[-1] if commits else None
        return revision if revision in commits else None

    def commit(self, repo: str, files: dict[str, bytes]) -> str:
        commits = self.repositories[repo]
        last = self.find(repo, "main")
        files = {**(commits[last] if last else {}), **files}
        told = "".join(f"{name}{hashlib.sha1(text).hexdigest()}" for name, text in files.items())
        commits[sha := hashlib.sha1(f"{len(commits)}{told}".encode()).hexdigest()] = files
        return sha


class QuietServer(ThreadingHTTPServer):
    """Keeps what went wrong instead of printing it: its words would be taken for the command's."""

    def __init__(self, *args) -> None:
        super().__init__(*args)
        self.faults: list[BaseException | None] = []

    def handle_error(self, request, client_address):
        fault = sys.exc_info()[1]
        if not isinstance(fault, OSError):  # the client hung up
            self.faults.append(fault)


class Handler(BaseHTTPRequestHandler):
    hub: Hub

    def log_message(self, *_: object) -> None:
        pass

    def answer(self, code: int, content: object = None, **headers: str) -> None:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(code)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self.answer(401, {"error": "Invalid username or password."})
        if self.path == "/api/validate-yaml":
            return self.answer(200, {"errors": [], "warnings": []})
        if self.path == "/api/repos/create":
            told = json.loads(body)
            repo = f"{told['organization']}/{told['name']}"
            known = repo in self.hub.repositories
            self.hub.repositories.setdefault(repo, {})
            if told.get("visibility") == "private" or told.get("private"):
                self.hub.private.add(repo)
            url = f"http://{self.headers['Host']}/{repo}"
            return self.answer(409 if known else 200, {"url": url, "name": repo, "id": repo})
        found = re.match(r"/api/models/([^/]+/[^/]+)/(\w+)/main", self.path)
        if found is None:
            return self.answer(404, {"error": "Not found"})
        repo, what = found.groups()
        if what == "preupload":
            files = [
                {"path": file["path"], "uploadMode": "regular", "shouldIgnore": False, "oid": None}
                for file in json.loads(body)["files"]
            ]
            return self.answer(200, {"files": files})
        lines = [json.loads(line) for line in body.splitlines()]
        files = {
            line["value"]["path"]: base64.b64decode(line["value"]["content"])
            for line in lines
            if line["key"] == "file"
        }
        sha = self.hub.commit(repo, files)
        url = f"http://{self.headers['Host']}/{repo}/commit/{sha}"
        return self.answer(200, {"commitUrl": url, "commitOid": sha})

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if found := re.fullmatch(r"/api/models/([^/]+/[^/]+)(?:/(revision|tree)/(\w+))?", path):
            repo, what, revision = found.groups()
        elif found := re.fullmatch(r"/(.+?/.+?)/resolve/(\w+)/(.+)", path):
            (repo, revision, file), what = found.groups(), "resolve"
        else:
            return self.answer(404, {"error": "Not found"})
        if repo not in self.hub.repositories:
            return self.answer(404, {"error": "Repository not found"}, X_Error_Code="RepoNotFound")
        sha = self.hub.find(repo, revision or "main")
        if sha is None:
            told = {"error": "Invalid rev id"}
            return self.answer(404, told, X_Error_Code="RevisionNotFound")
        files = self.hub.repositories[repo][sha]
        if what == "resolve":
            oid = hashlib.sha1(files[file]).hexdigest()
            return self.answer(200, files[file], ETag=f'"{oid}"', X_Repo_Commit=sha)
        if what == "tree":
            entries = [
                {
                    "type": "file",
                    "path": name,
                    "size": len(text),
                    "oid": hashlib.sha1(text).hexdigest(),
                }
                for name, text in files.items()
            ]
            return self.answer(200, entries)
        siblings = [{"rfilename": name} for name in files]
        told = {"id": repo, "modelId": repo, "sha": sha, "siblings": siblings, "tags": []}
        return self.answer(200, {**told, "private": repo in self.hub.private})

    do_HEAD = do_GET  # noqa: N815


@contextmanager
def hub_server() -> Iterator[tuple[str, Hub]]:
    """The address of a hub, and what it holds."""
    hub = Hub()
    server = QuietServer(("127.0.0.1", 0), type("_", (Handler,), {"hub": hub}))
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert not server.faults
