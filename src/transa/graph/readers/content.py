"""The bytes of a file, decompressed."""

from __future__ import annotations

import gzip
import io
import shutil
import sys
import zlib
from io import FileIO
from pathlib import Path

from transa.errors import InputError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

COMPRESSION_SUFFIXES = (".gz", ".zst")
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_PIECE = 1 << 20
_DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error, zstd.ZstdError)


def load(path: Path) -> bytes:
    """The content of `path`; gzip and Zstandard are told by the file's first bytes."""
    try:
        # Unbuffered: one read then fills memory of the right size, without a second copy.
        with path.open("rb", buffering=0) as file:
            data = _read(path, file)
    except _DAMAGE as damage:
        raise InputError(_describe(path, damage)) from damage
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file") from error
    except IsADirectoryError as error:
        raise InputError(f"{path} is a folder; expected a file of triples") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    if not data:
        raise InputError(f"{path} is empty; expected at least one triple on line 1")
    return data


def _read(path: Path, file: FileIO) -> bytes:
    if not file.seekable():
        raise InputError(f"{path} is a pipe, and is read more than once; write it to a file first")
    magic = file.read(4)
    file.seek(0)
    if path.suffix in COMPRESSION_SUFFIXES and magic and not _is_compressed(magic):
        raise InputError(
            f"{path} is named {path.suffix} but is not compressed; "
            f"rename it, or fetch it again if it should be"
        )
    if not _is_compressed(magic):
        return file.read()
    # Piece by piece into memory that grows: reading all at once holds it twice.
    content = io.BytesIO()
    with _decompressor(file, magic) as stream:
        shutil.copyfileobj(stream, content, _PIECE)
    return content.getvalue()


def _is_compressed(magic: bytes) -> bool:
    return magic.startswith((_GZIP_MAGIC, _ZSTD_MAGIC))


def _decompressor(file: FileIO, magic: bytes) -> gzip.GzipFile | zstd.ZstdFile:
    if magic.startswith(_GZIP_MAGIC):
        return gzip.GzipFile(fileobj=file)
    return zstd.ZstdFile(file)


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
        magic = file.read(4)
        file.seek(0)
        stream = _decompressor(file, magic)
        try:
            # Piece by piece: a larger read that meets the damage gives nothing at all.
            while block := stream.read1(1 << 13):
                lines += block.count(b"\n")
        except _DAMAGE:
            pass
    return lines
