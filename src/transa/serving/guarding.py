"""What stands before every request: who may ask, how much and how long; what every answer says.

The order is that of cost: a header is looked at before a body is read.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from transa.serving.metrics import Metrics
from transa.serving.options import Serving, is_loopback
from transa.serving.problems import Problem

COOKIE = "transa_token"
_OPEN = ("/health",)
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, serving: Serving, metrics: Metrics) -> None:
        self._app, self._serving, self._metrics = app, serving, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 499

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        with self._metrics.running.track_inprogress():
            try:
                await self._answer(scope, receive, send_with_headers)
            finally:
                # The path as it is declared, so that no client can make up new ones.
                path = getattr(scope.get("route"), "path", "other")
                self._metrics.requests.labels(path, str(status)).inc()
                self._metrics.seconds.labels(path).observe(time.perf_counter() - began)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def send_once(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        limits = self._serving.limits
        try:
            async with asyncio.timeout(limits.seconds):
                entrance = self._admit(scope)
                if entrance is None:
                    body = await self._body(Headers(scope=scope), receive)
                    await self._app(scope, _replayed(body, receive), send_once)
                else:
                    await entrance(scope, receive, send_once)
        except TimeoutError:
            problem = Problem(504, f"no answer within {limits.seconds:g} s; ask for less at a time")
            if not started:
                await problem.response()(scope, receive, send)
        except Problem as problem:
            response = problem.response()
            # A body that is not wanted is not read to its end either.
            response.headers["connection"] = "close"
            await response(scope, receive, send)

    def _admit(self, scope: Scope) -> Response | None:
        """Let in (None), or send to the page with the token kept in a cookie.

        Raises:
            Problem: if the request is for another host, from another site, or shows no token.
        """
        headers, path = Headers(scope=scope), scope["path"]
        if self._serving.is_local and not _is_local_name(headers.get("host", "")):
            raise Problem(
                421, "this server answers to localhost alone; to serve others, name a --host"
            )
        if headers.get("sec-fetch-site") == "cross-site" and path.startswith("/api/"):
            raise Problem(403, "another site's page cannot ask this server")
        if scope["method"] == "POST" and not _is_json(headers.get("content-type", "")):
            raise Problem(415, "a question is sent as application/json")
        token = self._serving.token
        if token is None or path in _OPEN:
            return None
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if path == "/" and _same(given, token):
            response = RedirectResponse("/", 303)
            response.set_cookie(COOKIE, token, httponly=True, samesite="strict")
            return response
        scheme, _, shown = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and _same(shown, token):
            return None
        if _same(_cookie(headers.get("cookie", "")), token):
            return None
        raise Problem(
            401,
            "this server asks for its token: open the address that `transa serve` printed, or send "
            "the header Authorization: Bearer TOKEN",
            headers={"WWW-Authenticate": "Bearer"},
        )

    async def _body(self, headers: Headers, receive: Receive) -> bytes:
        """The whole body, if it is no larger than may be and comes in time."""
        limits = self._serving.limits
        too_large = Problem(413, f"a body has {limits.body:,} bytes at most; send fewer questions")
        told = headers.get("content-length", "0")
        if not told.isdecimal() or int(told) > limits.body:
            raise too_large
        parts, size = [], 0
        while True:
            try:
                message = await asyncio.wait_for(receive(), limits.head_seconds)
            except TimeoutError:
                raise Problem(
                    408, f"no part of the body within {limits.head_seconds:g} s"
                ) from None
            part = message.get("body", b"")
            size += len(part)
            if size > limits.body:
                raise too_large
            parts.append(part)
            if not message.get("more_body", False):
                return b"".join(parts)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """A channel that has the body first, then whatever the client still does."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _is_local_name(host: str) -> bool:
    """Whether the Host header names this machine; a name rebound to its address does not."""
    name = host.rpartition("]")[0].removeprefix("[") or host.partition(":")[0]
    return is_loopback(name.lower())


def _is_json(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() == "application/json"


def _cookie(header: str) -> str:
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return "" if found is None else found.value


def _same(given: str, token: str) -> bool:
    return secrets.compare_digest(given.encode("utf-8", "replace"), token.encode())
