"""Paths as users give them."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from transa.errors import InputError


def path_of(path: object) -> Path:
    """The path that a user gave; nothing is not the folder one is in."""
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise InputError(f"expected the path of a file or folder, found {path!r:.100}")
    if not os.fspath(path):
        raise InputError("expected the path of a file or folder, found ''; '.' is this folder")
    if not _is_possible(os.fspath(path)):
        raise InputError(f"no file or folder can be called {os.fspath(path)!r:.100}")
    return Path(path)


def _is_possible(path: str) -> bool:
    try:
        os.lstat(path)
    except OSError as error:
        return error.errno != errno.ENAMETOOLONG
    except ValueError:  # a null character, or what is no text
        return False
    return True


def exists(path: Path) -> bool:
    """Whether it is there; a name that no file can have is not."""
    try:
        return path.exists()
    except OSError:
        return False
