"""Files and folders that are either whole or not there.

What is written goes to a hidden neighbour first, reaches the disk, and takes its place by a rename.
A kill at any moment leaves what was there before.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from transa.errors import StoreError


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path to write to, which replaces `path` when the block ends well and vanishes otherwise."""
    part = _neighbour(path)
    try:
        with _told_as_sentence(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            yield part
            _sync(part)
            part.replace(path)
            _sync(path.parent)
    finally:
        with suppress(OSError):
            part.unlink()


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """The same for a folder. What stood there stays until the new one is complete."""
    folder = folder.resolve()
    part = _neighbour(folder)
    try:
        with _told_as_sentence(folder):
            part.mkdir(parents=True)
            yield part
            for written in (*part.iterdir(), part):
                _sync(written)
            _swap_in(part, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def settled(folder: Path) -> Path:
    """Where the last whole version of a folder is: a kill in mid-swap leaves it at its backup."""
    backup = _backup(folder.resolve())
    return backup if backup.exists() and not folder.exists() else folder


def _swap_in(part: Path, folder: Path) -> None:
    # No system renames a folder onto a full one, so the old one steps aside for a moment.
    backup = _backup(folder)
    if folder.exists():
        shutil.rmtree(backup, ignore_errors=True)
        folder.rename(backup)
    part.rename(folder)
    _sync(folder.parent)
    shutil.rmtree(backup, ignore_errors=True)


def _neighbour(path: Path) -> Path:
    if not path.name:
        raise StoreError(f"'{path}' is a folder that cannot be replaced; give a name")
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")


def _backup(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.old")


def _sync(path: Path) -> None:
    if path.is_dir() and os.name == "nt":
        return  # Windows does not open folders
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _told_as_sentence(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoreError(f"{path}: cannot be written ({reason})") from error
    except Exception as error:
        # Polars and safetensors tell of a full disk in errors of their own.
        if "(os error " not in str(error):
            raise
        raise StoreError(f"{path}: cannot be written ({error})") from error
