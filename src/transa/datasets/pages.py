"""The answers of a SPARQL endpoint, page by page; what has come is kept until all has."""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import shutil
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from transa import __version__
from transa.errors import DownloadError
from transa.files.cache import cache_folder
from transa.files.whole import whole_file

Row = TypeVar("Row")

_LOG = logging.getLogger(__name__)

RESULTS = "application/sparql-results+json"
ROWS = 10_000
"""Of a page. An endpoint may give fewer: it is asked until it has no more."""
_MOST_BYTES = 1 << 28
_TIMEOUT_SECONDS = 120
# Seconds to wait before each further try, unless the server says how many.
_WAITS = (1.0, 5.0)
_LONGEST_WAIT = 30.0
_BUSY = (408, 429, 500, 502, 503, 504)


@dataclass(frozen=True)
class Endpoint:
    """Where to ask.

    Attributes:
        url: Of the endpoint, without user and password.
        login: These two, with a colon, if the address had them.
        graphs: What the endpoint is to take as the default graph; empty leaves it to decide.
    """

    url: str
    login: str | None
    graphs: Sequence[str]

    @classmethod
    def at(cls, address: str, graphs: Sequence[str] | None) -> Endpoint:
        """The endpoint of an address such as ``https://user:secret@host/sparql``."""
        parts = urllib.parse.urlsplit(address)
        try:
            if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
                raise ValueError
        except ValueError:
            raise DownloadError(
                "the address of an endpoint is such as sparql+https://example.org/sparql"
            ) from None
        login, _, host = parts.netloc.rpartition("@")
        url = urllib.parse.urlunsplit(parts._replace(netloc=host, fragment=""))
        return cls(url, urllib.parse.unquote(login) or None, tuple(graphs or ()))

    def ask(self, query: str) -> bytes:
        """The answer to a query.

        Raises:
            DownloadError: Why there is none, in a sentence.
        """
        for wait in (*_WAITS, None):
            try:
                return self._ask_once(query)
            except _Busy as busy:
                if wait is None:
                    raise DownloadError(f"{self.url}: {busy}") from busy.__cause__
                time.sleep(min(_LONGEST_WAIT, wait if busy.wait is None else busy.wait))
        raise AssertionError

    def _ask_once(self, query: str) -> bytes:
        form = [("query", query), *(("default-graph-uri", graph) for graph in self.graphs)]
        request = urllib.request.Request(  # noqa: S310 (of http or https, see `at`)
            self.url,
            urllib.parse.urlencode(form).encode(),
            {"Accept": RESULTS, "User-Agent": f"transa/{__version__}"},
        )
        if self.login is not None:
            token = base64.b64encode(self.login.encode()).decode()
            request.add_unredirected_header("Authorization", f"Basic {token}")
        try:
            with _OPENER.open(request, timeout=_TIMEOUT_SECONDS) as answer:
                content: bytes = answer.read(_MOST_BYTES + 1)
        except urllib.error.HTTPError as error:
            told = f"the server answered {error.code} ({_first_words(error)})"
            if error.code in _BUSY:
                raise _Busy(told, error.headers.get("Retry-After")) from error
            raise DownloadError(f"{self.url}: {told}") from error
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise _Busy(f"the connection failed or broke off ({reason})") from error
        if len(content) > _MOST_BYTES:
            raise DownloadError(
                f"{self.url}: a page of {ROWS:,} rows is larger than {_MOST_BYTES:,} bytes; ask "
                f"for less in the query"
            )
        return content


class _Busy(Exception):  # noqa: N818 (it may do the next time)
    """An answer that may be another when asked again."""

    def __init__(self, told: str, retry_after: str | None = None) -> None:
        super().__init__(told)
        known = retry_after is not None and retry_after.isdigit()
        self.wait = float(retry_after) if retry_after is not None and known else None


class _SameServer(urllib.request.HTTPRedirectHandler):
    """Goes where the user said, and nowhere else."""

    def redirect_request(self, *given: Any) -> None:  # noqa: ANN401 (as the library has it)
        """Refuse another address: it is for the user to say."""
        asked, *_, other = given
        raise DownloadError(
            f"{asked.full_url}: the server sends on to {other}; if that is right, give "
            f"sparql+{other}"
        )


_OPENER = urllib.request.build_opener(_SameServer)


def _first_words(error: urllib.error.HTTPError) -> str:
    text = error.read(1 << 12).decode("utf-8", "replace")
    return " ".join(text.split())[:200] or error.reason


def pages(
    endpoint: Endpoint, query: str, parse: Callable[[bytes], list[Row]]
) -> Iterator[list[Row]]:
    """The rows of the answer to a query that puts them in an order, page by page.

    What has come is kept in the cache, and a later call with the same arguments goes on from
    there; when all has come it is forgotten.

    Args:
        endpoint: Whom to ask.
        query: Without LIMIT and OFFSET.
        parse: Makes rows of a page.
    """
    asked = json.dumps([endpoint.url, endpoint.login, list(endpoint.graphs), query])
    folder = cache_folder() / "sparql" / hashlib.sha256(asked.encode()).hexdigest()[:32]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield from _pages(endpoint, query, parse, folder)
        shutil.rmtree(folder, ignore_errors=True)
    except OSError as error:
        raise DownloadError(
            f"cannot keep pages in {folder} ({error.strerror}); set TRANSA_CACHE to a folder with "
            f"room that can be written"
        ) from error


def _pages(
    endpoint: Endpoint, query: str, parse: Callable[[bytes], list[Row]], folder: Path
) -> Iterator[list[Row]]:
    rows = 0
    for number in count():
        path = folder / f"{number:08}.json"
        if path.exists():
            found = parse(path.read_bytes())
        else:
            page = _fetched(endpoint, f"{query}\nLIMIT {ROWS} OFFSET {rows}", rows)
            found = parse(page)
            with whole_file(path) as part:
                part.write_bytes(page)
        if not found:
            return
        rows += len(found)
        _LOG.info("%s: %s rows", endpoint.url, f"{rows:,}")
        yield found


def _fetched(endpoint: Endpoint, query: str, rows: int) -> bytes:
    try:
        return endpoint.ask(query)
    except DownloadError as error:
        kept = f"; {rows:,} rows are kept: the same command goes on from there" if rows else ""
        raise DownloadError(f"{error}{kept}") from error
