"""One writer at a time: a lock file beside what is written, which says who holds it.

The system lets go of a lock when its process ends, however it ends, so that none is ever stale.
"""

from __future__ import annotations

import errno
import os
import platform
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from transa.errors import StoreError

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        # Locked bytes cannot be read by others: this one is behind what is said.
        os.lseek(handle, 1 << 30, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        os.lseek(handle, 0, os.SEEK_SET)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


_TAKEN = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)
_NAP = 0.02


@contextmanager
def locked(path: Path, patience: float = 0.0) -> Iterator[bool]:
    """Hold the lock of `path`; whether there is one: not every file system has locks.

    Args:
        path: what is to be written; need not exist, but the folder it is in.
        patience: seconds to wait for another who holds it.

    Raises:
        StoreError: another holds it; says who.
    """
    beside = path.with_name(f".{path.name}.lock")
    handle, is_held = _take(beside, path, time.monotonic() + patience)
    try:
        yield is_held
    finally:
        # While it is held: whoever gets it next sees that it is no longer there.
        with suppress(OSError):
            beside.unlink()
        os.close(handle)


def _take(beside: Path, path: Path, deadline: float) -> tuple[int, bool]:
    while True:
        try:
            handle = os.open(beside, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise StoreError(f"{path}: cannot be written ({error.strerror})") from error
        try:
            _lock(handle)
        except OSError as error:
            if error.errno not in _TAKEN:
                return handle, False
            if time.monotonic() >= deadline:
                raise StoreError(_refusal(path, handle)) from None
            os.close(handle)
            time.sleep(_NAP)
            continue
        if _is_at(handle, beside):
            _sign(handle)
            return handle, True
        os.close(handle)


def _sign(handle: int) -> None:
    # On a full disk the lock is held all the same.
    with suppress(OSError):
        os.ftruncate(handle, 0)
        os.write(handle, f"process {os.getpid()} on {platform.node()}".encode())


def _refusal(path: Path, handle: int) -> str:
    with open(handle, encoding="utf-8", errors="replace") as file:
        holder = file.read(200) or "another process"
    return f"{path}: {holder} is writing it; choose another place, or try again when it is done"


def _is_at(handle: int, beside: Path) -> bool:
    """Whether the file that was locked is still the one that others find."""
    try:
        return os.path.samestat(os.fstat(handle), beside.stat())
    except FileNotFoundError:
        return False
