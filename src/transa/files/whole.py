"""Files and folders that are either whole or not there.

What is written goes to a hidden neighbour first, reaches the disk, and takes its place by a rename.
A kill at any moment leaves what was there before; what it left half written is removed by the next
who writes there.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transa.errors import StoreError
from transa.files.locks import locked

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Seconds that a file waits for another who writes it. Folders do not wait: the first one stands.
_PATIENCE = 10.0


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path to write to, which replaces `path` when the block ends well and vanishes otherwise."""
    with _part_of(path, _PATIENCE) as part:
        yield part
        _sync(part)
        part.replace(path)
        _sync(path.parent)


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """The same for a folder. What stood there stays until the new one is complete.

    Raises:
        StoreError: another process is writing that folder; says which.
    """
    folder = folder.resolve()
    with _part_of(folder) as part:
        part.mkdir()
        yield part
        for written in (*part.iterdir(), part):
            _sync(written)
        _swap_in(part, folder)


@contextmanager
def scratch_folder(path: Path) -> Iterator[Path]:
    """A folder for what `path` is made of, beside it, gone when the block ends.

    For use within `whole_file`; what a kill leaves of it is removed with the rest.
    """
    folder = _part_name(path)
    folder.mkdir()
    try:
        yield folder
    finally:
        _remove(folder)


def _part_name(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")


@contextmanager
def _part_of(path: Path, patience: float = 0.0) -> Iterator[Path]:
    """The hidden neighbour of `path`, gone when the block ends."""
    if not path.name:
        raise StoreError(f"'{path}' is a folder that cannot be replaced; give a name")
    if not _is_text(path):
        raise StoreError(f"{str(path)!r:.100} is no Unicode text; choose another name")
    part = _part_name(path)
    with told_as_sentence(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with locked(path, patience) as is_alone:
            if is_alone:
                _sweep(path)
            try:
                yield part
            finally:
                _remove(part)


def _is_text(path: Path) -> bool:
    try:
        return bool(str(path).encode())
    except UnicodeEncodeError:
        return False


def _sweep(path: Path) -> None:
    """Remove what writers have left that did not come to their end: none of them holds the lock."""
    mark = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{8}}\.part")
    for other in path.parent.iterdir():
        if mark.fullmatch(other.name):
            _remove(other)


def _remove(part: Path) -> None:
    if part.is_dir():
        shutil.rmtree(part, ignore_errors=True)
    else:
        with suppress(OSError):
            part.unlink()


def settled(folder: Path) -> Path:
    """Where the last whole version of a folder is: a kill in mid-swap leaves it at its backup."""
    try:
        backup = _backup(folder.resolve())
        return backup if backup.exists() and not folder.exists() else folder
    except (OSError, ValueError):  # the root, or a name that no folder can have
        return folder


def _swap_in(part: Path, folder: Path) -> None:
    # No system renames a folder onto a full one, so the old one steps aside for a moment.
    backup = _backup(folder)
    if folder.exists():
        shutil.rmtree(backup, ignore_errors=True)
        folder.rename(backup)
    part.rename(folder)
    _sync(folder.parent)
    shutil.rmtree(backup, ignore_errors=True)


def _backup(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.old")


def save_tensors(
    arrays: Mapping[str, NDArray[Any]], path: Path, metadata: dict[str, str] | None = None
) -> None:
    """Arrays in the safetensors format, readable by whom the umask says.

    The library alone would write a file for its owner's eyes only.
    """
    import numpy as np
    from safetensors.numpy import save_file

    path.touch()
    mode = path.stat().st_mode
    save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, path, metadata)
    path.chmod(mode)


def _sync(path: Path) -> None:
    if path.is_dir() and os.name == "nt":
        return  # Windows does not open folders
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def told_as_sentence(path: Path | str) -> Iterator[None]:
    """What the system says against writing to a path, as an error of ours."""
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
