"""The place that all nodes reach: a folder, or whatever fsspec has an address for."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from transa.errors import StoreError, TransaError, optional
from transa.files.whole import told_as_sentence, whole_file


class Store:
    """Files by name, in one place.

    Attributes:
        address: a path, or an address such as ``s3://bucket/run``.
        folder: the path, where it is one: its files are read and written in place.
    """

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        self.folder = None if "://" in address else Path(address)
        if self.folder is not None:
            return
        self.address = f"{address.split('://', 1)[0]}://{address.split('://', 1)[1].strip('/')}"
        fsspec = optional("fsspec", "ray", "storage that all nodes reach")
        with self._told("used"):
            self._system: Any
            # What others have written meanwhile is to be seen.
            self._system, self._root = fsspec.core.url_to_fs(self.address, use_listings_cache=False)

    def __truediv__(self, name: str) -> Store:
        """A place within this one."""
        return Store(f"{self.address}/{name}")

    def __str__(self) -> str:
        return self.address

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        """Whatever a library says against it, as an error of ours."""
        try:
            yield
        except TransaError:
            raise
        # Each library of fsspec's has errors of its own.
        except Exception as error:
            reason = " ".join(str(error).split())[:200] or type(error).__name__
            raise StoreError(
                f"{self.address}: cannot be {what} ({reason}); what was saved before is whole, and "
                "--resume goes on from it"
            ) from error

    def read(self, name: str) -> bytes:
        """The contents of a file."""
        with self._told("read"):
            if self.folder is not None:
                return (self.folder / name).read_bytes()
            content: bytes = self._system.cat_file(f"{self._root}/{name}")
            return content

    def write(self, name: str, content: bytes) -> None:
        """Write a file, whole or not at all."""
        if self.folder is not None:
            with told_as_sentence(self.folder / name), whole_file(self.folder / name) as part:
                part.write_bytes(content)
            return
        with self._told("written"):
            self._system.pipe_file(f"{self._root}/{name}", content)

    def put(self, path: Path, name: str) -> None:
        """Copy a file of this machine there."""
        assert self.folder is None  # noqa: S101 (in a folder it is written in place)
        with self._told("written"):
            self._system.put_file(str(path), f"{self._root}/{name}")

    def fetch(self, name: str, path: Path) -> None:
        """Copy a file from there to this machine, whole or not at all."""
        assert self.folder is None  # noqa: S101 (from a folder it is read in place)
        part = path.with_name(f"{path.name}.{secrets.token_hex(4)}~")
        try:
            with self._told("read"):
                self._system.get_file(f"{self._root}/{name}", str(part))
                part.replace(path)
        finally:
            part.unlink(missing_ok=True)

    def has(self, name: str) -> bool:
        """Whether there is such a file."""
        with self._told("read"):
            if self.folder is not None:
                return (self.folder / name).exists()
            found: bool = self._system.exists(f"{self._root}/{name}")
            return found

    def names(self) -> list[str]:
        """The files there are."""
        with self._told("read"):
            if self.folder is not None:
                return [p.name for p in self.folder.iterdir() if p.is_file()]
            if not self._system.exists(self._root):
                return []
            found = self._system.ls(self._root, detail=True)
            return [one["name"].rpartition("/")[2] for one in found if one["type"] == "file"]

    def remove(self, names: Iterable[str]) -> None:
        """Remove files, of which some may be gone."""
        for name in names:
            with self._told("written"):
                if self.folder is not None:
                    (self.folder / name).unlink(missing_ok=True)
                elif self._system.exists(f"{self._root}/{name}"):
                    self._system.rm_file(f"{self._root}/{name}")
