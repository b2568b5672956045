"""What went wrong, as a client reads it: problem+json (RFC 9457), one sentence and what to do."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from transa.errors import TransaError

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.requests import Request

MEDIA_TYPE = "application/problem+json"

_TITLES = {
    400: "The request cannot be read",
    401: "A token is needed",
    403: "Not from here",
    404: "Not found",
    405: "Not that way",
    408: "Too slow",
    409: "This model cannot answer that",
    413: "Too large",
    415: "Not JSON",
    421: "Not this server",
    422: "The question is not complete",
    500: "A mistake of the server",
    503: "Too busy",
    504: "Took too long",
}
_SHOWN = 200


class Problem(Exception):  # noqa: N818 (what RFC 9457 calls it)
    """A refusal: an HTTP status, a sentence, and members that help a program to mend it."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        headers: Mapping[str, str] | None = None,
        members: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail
        self.headers, self.members = headers, members or {}

    def body(self) -> bytes:
        """As problem+json; in ASCII, since a label may hold what UTF-8 cannot."""
        content = {
            "type": "about:blank",
            "title": _TITLES.get(self.status, "The request failed"),
            "status": self.status,
            "detail": self.detail,
            **self.members,
        }
        return json.dumps(content).encode("ascii")

    def response(self) -> Response:
        """As an answer."""
        return Response(self.body(), self.status, self.headers, MEDIA_TYPE)


def unknown_name(kind: str, label: str, alike: Sequence[str], **members: object) -> Problem:
    """There is no such entity or relation; perhaps one of these was meant."""
    detail = f"unknown {kind} {label[:_SHOWN]!r}"
    if alike:
        detail += "; did you mean " + " or ".join(repr(name) for name in alike) + "?"
    told = {"kind": kind, "did_you_mean": list(alike), **members}
    return Problem(404, detail, members=told)


def add_handlers(app: FastAPI) -> None:
    """Make problems of all that goes wrong, so that nothing else leaves the server."""
    app.add_exception_handler(Problem, _of_problem)
    app.add_exception_handler(RequestValidationError, _of_validation)
    app.add_exception_handler(HTTPException, _of_http)
    app.add_exception_handler(TransaError, _of_model)
    app.add_exception_handler(Exception, _of_mistake)


def _of_problem(_: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)  # noqa: S101 (narrows the type)
    return error.response()


def _of_validation(_: Request, error: Exception) -> Response:
    """Where the fault is and what was expected; what was sent is not repeated, it may be large."""
    assert isinstance(error, RequestValidationError)  # noqa: S101 (narrows the type)
    faults = [_fault(found) for found in error.errors()[:10]]
    unreadable = any(found["type"] == "json_invalid" for found in error.errors())
    detail = "; ".join(f"{fault['at']}: {fault['expected']}" for fault in faults)
    return Problem(400 if unreadable else 422, detail, members={"faults": faults}).response()


def _fault(found: Mapping[str, Any]) -> dict[str, str]:
    place = [str(part) for part in found["loc"] if part not in ("body", "query")]
    expected = str(found["msg"])
    if found["type"] == "json_invalid":
        expected = f"not JSON ({found.get('ctx', {}).get('error', expected)})"
    return {"at": ".".join(place)[:_SHOWN] or "body", "expected": expected[:_SHOWN]}


def _of_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 (narrows the type)
    words = {
        400: "the body of the request cannot be read as JSON",
        404: "there is nothing here; /api lists what there is",
        405: f"{request.method} is not possible here; /api lists what is",
    }
    detail = words.get(error.status_code, str(error.detail))
    return Problem(error.status_code, detail, headers=error.headers).response()


def _of_model(_: Request, error: Exception) -> Response:
    return Problem(409, str(error)).response()


def _of_mistake(request: Request, error: Exception) -> Response:
    logging.getLogger("transa.serving").exception("%s", request.url.path, exc_info=error)
    return Problem(500, "the server made a mistake; its log tells which").response()
