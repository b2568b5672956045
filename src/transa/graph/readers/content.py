"""The bytes of a file, decompressed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import BinaryIO, TypeAlias, cast

from transa.errors import InputError, TooLargeError, TransaError
from transa.files.memory import check_memory

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

COMPRESSION_SUFFIXES = (".gz", ".zst", ".bz2", ".xz")
_Stream: TypeAlias = gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile | zstd.ZstdFile
# By the bytes that a file so compressed begins with.
_DECOMPRESSORS: dict[bytes, Callable[[FileIO], _Stream]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"\x28\xb5\x2f\xfd": zstd.ZstdFile,
    b"\xfd7zXZ": lzma.LZMAFile,
    # With the size of its blocks, and what each block begins with: a label may begin with BZh.
    **{b"BZh%d1AY&SY" % size: bz2.BZ2File for size in range(1, 10)},
}
_LONGEST_MAGIC = max(map(len, _DECOMPRESSORS))
_PIECE = 1 << 20
_SMALLER = "take a part of it, or a machine with more memory"
_DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error, zstd.ZstdError, lzma.LZMAError)

LARGEST_EXPANSION = 200
"""How many times its size a compressed file may swell to. Graphs as text come to some 5 to 20."""
ALWAYS_ALLOWED = 1 << 28
"""Bytes that any compressed file may swell to: a small one may well be one line, repeated."""

_KINDS = {
    stat.S_IFDIR: "a folder; expected a file of triples",
    stat.S_IFIFO: "a pipe, and is read more than once; write it to a file first",
    stat.S_IFSOCK: "a socket; expected a file of triples",
    stat.S_IFCHR: "a device; expected a file of triples",
    stat.S_IFBLK: "a device; expected a file of triples",
}


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The content of `path` as a stream, however large it is; decompressed as by `load`."""
    with _told(path):
        _check_kind(path)
        with path.open("rb", buffering=0) as file:
            magic = file.read(_LONGEST_MAGIC)
            file.seek(0)
            if not _is_compressed(magic):
                yield file
                return
            with _decompressor(file, magic) as stream:
                yield cast("BinaryIO", stream)


def load(path: Path) -> bytes:
    """The content of `path`; how is told by the file's first bytes.

    What would not fit into memory is refused before it is there: a file larger than what is free,
    and a compressed one that swells beyond that, or beyond `LARGEST_EXPANSION`.
    """
    with _told(path):
        size = _check_kind(path)
        # Unbuffered: one read then fills memory of the right size, without a second copy.
        with path.open("rb", buffering=0) as file:
            data = _read(path, file, size)
    if not data:
        raise InputError(f"{path} is empty; expected at least one triple on line 1")
    return data


def _check_kind(path: Path) -> int:
    """Refuse what is no file, before it is opened: to open a pipe is to wait for who writes it."""
    found = path.stat()
    kind = _KINDS.get(stat.S_IFMT(found.st_mode))
    if kind is not None:
        raise InputError(f"{path} is {kind}")
    return found.st_size


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What can be wrong with a file, in a sentence."""
    try:
        yield
    except TransaError:
        raise
    except _DAMAGE as damage:
        raise InputError(_describe(path, damage)) from damage
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{path} cannot be read: {reason}") from error


def _read(path: Path, file: FileIO, size: int) -> bytes:
    magic = file.read(_LONGEST_MAGIC)
    file.seek(0)
    if path.suffix in COMPRESSION_SUFFIXES and magic and not _is_compressed(magic):
        raise InputError(
            f"{path} is named {path.suffix} but is not compressed; "
            f"rename it, or fetch it again if it should be"
        )
    if not _is_compressed(magic):
        check_memory(2 * size, f"reading {path}", _SMALLER)
        return file.read()
    with _decompressor(file, magic) as stream:
        data = _decompressed(path, stream, size)
    if _is_compressed(data[:_LONGEST_MAGIC]):
        raise InputError(f"{path} is compressed twice; decompress it once")
    return data


def _decompressed(path: Path, stream: _Stream, size: int) -> bytes:
    # Piece by piece into memory that grows: reading all at once holds it twice.
    content = io.BytesIO()
    next_look = 0
    while piece := stream.read(_PIECE):
        content.write(piece)
        swollen = content.tell()
        if swollen > max(ALWAYS_ALLOWED, LARGEST_EXPANSION * size):
            raise TooLargeError(
                f"{path} swells to more than {LARGEST_EXPANSION} times its size, as no graph does; "
                f"if it is one, decompress it first"
            )
        if swollen >= next_look:
            # The memory may have to grow to twice this, and holds a copy at the end.
            check_memory(swollen, f"decompressing {path}", _SMALLER)
            next_look = swollen + ALWAYS_ALLOWED // 4
    return content.getvalue()


def _is_compressed(magic: bytes) -> bool:
    return magic.startswith(tuple(_DECOMPRESSORS))


def _decompressor(file: FileIO, magic: bytes) -> _Stream:
    (make,) = (make for start, make in _DECOMPRESSORS.items() if magic.startswith(start))
    return make(file)


def _describe(path: Path, damage: Exception) -> str:
    line = _lines_before_the_damage(path) + 1
    if isinstance(damage, EOFError):
        what = "the compressed data ends too early: the file was cut off"
    else:
        what = f"the compressed data is damaged ({damage})"
    return f"{path}, line {line}: {what}; fetch or compress it again"


def _lines_before_the_damage(path: Path) -> int:
    """How many whole lines can still be decompressed."""
    lines = 0
    with path.open("rb", buffering=0) as file:
        magic = file.read(_LONGEST_MAGIC)
        file.seek(0)
        stream = _decompressor(file, magic)
        try:
            # Piece by piece: a larger read that meets the damage gives nothing at all.
            while block := stream.read1(1 << 13):
                lines += block.count(b"\n")
        except _DAMAGE:
            pass
    return lines
