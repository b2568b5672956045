"""`transa serve`: a model folder over HTTP, with its page."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Annotated

import typer

from transa.cli.output import say
from transa.cli.parameters import Folder, option
from transa.errors import ConfigError, InputError, optional


def serve(
    folder: Folder,
    host: Annotated[
        str, option("The address to listen at; others than this machine need the token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8000,
    token_file: Annotated[
        Path | None, option("A file with the token; else TRANSA_TOKEN, or one is made.")
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, max=256, help="Processes; they share the vectors in memory.")
    ] = 1,
    open_: Annotated[bool, option("Open the page in a browser.", name="--open")] = False,
) -> None:
    """Serve a model: a page to look at it, and questions over HTTP.

    Only this machine can reach it unless --host says otherwise; then every request must show a
    token. A folder that is replaced is taken up; SIGTERM or Ctrl-C end it once all is answered.
    """
    from transa.storage.folder import load

    # Once here, so that a folder that is wrong is told in a sentence before anything listens.
    load(folder)
    for module in ("fastapi", "uvicorn", "httptools", "prometheus_client", "rapidfuzz"):
        optional(module, "serve", "transa serve")
    from transa.serving.options import Serving
    from transa.serving.running import address_of, listening, serve, with_token

    given = Serving(folder=folder, host=host, port=port, token=_token(token_file))
    serving = with_token(given)
    listener = listening(serving)
    address = address_of(serving, listener)
    say(f"{folder} is served at {address}   (Ctrl-C ends it)")
    if open_:
        threading.Thread(target=_open, args=(address,), daemon=True).start()
    serve(serving, listener, workers)


def _token(file: Path | None) -> str | None:
    """The token that is given, if any is."""
    import os

    if file is None:
        return os.environ.get("TRANSA_TOKEN") or None
    try:
        token = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: the token cannot be read ({error})") from error
    if len(token) < 16 or not token.isascii() or not token.isprintable():
        raise ConfigError(f"{file}: a token has at least 16 plain characters")
    return token


def _open(address: str) -> None:
    """Open a browser; the server's socket lets it wait until there is an answer."""
    import webbrowser

    webbrowser.open(address)
