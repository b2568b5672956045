"""Fetching a graph from its public home into the cache: all of it, verified, or nothing."""

from __future__ import annotations

import gzip
import hashlib
import io
import logging
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from transa.datasets.addresses import HOMES, PUBLIC_MIRROR, Piece
from transa.errors import DownloadError

if TYPE_CHECKING:
    from typing_extensions import Buffer

_LOG = logging.getLogger(__name__)
_TIMEOUT_SECONDS = 30
_CHUNK_BYTES = 1 << 16
_MOST_BYTES = 1 << 29
_WAY_OUT = "try again, or set TRANSA_DATA to a folder that has a copy"


def download(name: str, cache_folder: Path) -> Path:
    """Fetch a graph, and return its folder in the cache.

    The folder appears in one step when all its files are there and verified. `TRANSA_MIRROR` names
    another server than the public one.
    """
    try:
        cache_folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=cache_folder) as scratch:
            made = Path(scratch) / name
            made.mkdir()
            _make_pieces(name, made)
            return _install(made, cache_folder / name)
    except OSError as error:
        raise DownloadError(
            f"cannot write {name} into the cache {cache_folder} ({error.strerror}); "
            f"set TRANSA_CACHE to a folder with room that can be written"
        ) from error


def _make_pieces(name: str, folder: Path) -> None:
    fetch = cache(_fetch)  # Some pieces are made from the same part.
    for piece in HOMES[name]:
        try:
            text = piece.make(*(fetch(name, part) for part in piece.parts))
            _verify(name, piece, text)
        except DownloadError as error:
            if not piece.optional:
                raise
            _LOG.warning("%s goes without %s: %s", name, piece.file, error)
            continue
        # Without a time stamp, so that equal content is an equal file.
        compressed = gzip.compress(text, compresslevel=6, mtime=0)
        (folder / f"{piece.file}.gz").write_bytes(compressed)


def _fetch(name: str, part: str) -> bytes:
    import pooch  # Slow to import, and seldom needed.

    url = f"{os.environ.get('TRANSA_MIRROR', PUBLIC_MIRROR).rstrip('/')}/{part}"
    content = _Bounded()
    try:
        pooch.HTTPDownloader(timeout=_TIMEOUT_SECONDS, chunk_size=_CHUNK_BYTES)(url, content, None)
    except (OSError, ValueError) as error:
        raise DownloadError(
            f"could not download {name} from {url}: {_reason(error)}; {_WAY_OUT}"
        ) from error
    return content.getvalue()


class _Bounded(io.BytesIO):
    """What a server sends, up to a limit that no graph here reaches."""

    def write(self, piece: Buffer, /) -> int:
        if self.tell() > _MOST_BYTES:
            raise DownloadError(f"the server sends more than any graph has; {_WAY_OUT}")
        return super().write(piece)


def _reason(error: Exception) -> str:
    """Why a request failed; requests' own words fill several lines."""
    response = getattr(error, "response", None)
    if response is not None:
        return f"the server answered {response.status_code}"
    if isinstance(error, ValueError):
        return "that is not a web address"
    return "the connection failed or broke off"


def _verify(name: str, piece: Piece, text: bytes) -> None:
    found = hashlib.sha256(text).hexdigest()
    if found != piece.sha256:
        raise DownloadError(
            f"what was downloaded is not {piece.file} of {name}: its sha256 is {found[:12]}..., "
            f"expected {piece.sha256[:12]}...; {_WAY_OUT}"
        )


def _install(made: Path, folder: Path) -> Path:
    try:
        made.rename(folder)
    except OSError:
        # Another process was quicker, which is as good; anything else is not.
        if not folder.is_dir():
            raise
    return folder
