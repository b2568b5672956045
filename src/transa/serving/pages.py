"""The page and its parts: a few files, read once; a request can name one of them and no other."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from starlette.responses import Response

from transa.serving.problems import Problem

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.requests import Request

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
# What people type, and the file it means.
_ENTRANCES = {"/": "index.html", "/api": "api.html"}


@dataclass(frozen=True)
class _File:
    content: bytes
    media_type: str
    etag: str


def _read_all() -> dict[str, _File]:
    found = {}
    for file in files("transa.serving").joinpath("page").iterdir():
        suffix = f".{file.name.rpartition('.')[2]}"
        if suffix in _TYPES:
            content = file.read_bytes()
            etag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
            found[file.name] = _File(content, _TYPES[suffix], etag)
    return found


def add_pages(app: FastAPI) -> None:
    """Serve the page at / and its parts under /page/."""
    kept = _read_all()

    def send(name: str, request: Request) -> Response:
        file = kept.get(name)
        if file is None:
            raise Problem(404, "there is no such part of the page")
        headers = {"etag": file.etag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == file.etag:
            return Response(None, 304, headers)
        return Response(file.content, 200, headers, file.media_type)

    async def entrance(request: Request) -> Response:
        return send(_ENTRANCES[request.url.path], request)

    async def part(request: Request) -> Response:
        return send(request.path_params["name"], request)

    for path in _ENTRANCES:
        app.add_route(path, entrance, ["GET"], include_in_schema=False)
    app.add_route("/page/{name}", part, ["GET"], include_in_schema=False)
