"""Arrays in files of the safetensors format, mapped into memory: nothing is read before it is used.

Safetensors' own reader copies what it reads; here a file may be larger than memory.
"""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from transa.errors import StoreError

Arrays: TypeAlias = dict[str, NDArray[Any]]

_NAMES = {"float32": "F32", "int32": "I32", "int64": "I64", "uint64": "U64", "uint8": "U8"}
_TYPES = {name: np.dtype(of) for of, name in _NAMES.items()}
# Bytes: what matrix products like best.
_ALIGNED = 64
# Bytes that are looked through at a time.
_PIECE = 1 << 26


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays so that any reader of safetensors, or `map_arrays`, finds them.

    Those of long numbers come first, so that all of them begin where their numbers may.
    """
    arrays = dict(sorted(arrays.items(), key=lambda named: -named[1].itemsize))
    text, _ = _header({name: (array.shape, array.dtype.name) for name, array in arrays.items()})
    with path.open("wb") as file:
        file.write(text)
        for array in arrays.values():
            write_raw(file, array)


def write_raw(file: BinaryIO, array: NDArray[Any]) -> None:
    """Write an array's numbers and nothing else.

    NumPy's own `tofile` and `save` do not notice that a disk is full where the last few kilobytes
    are still in the system library's buffer.
    """
    file.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)


def reserve_arrays(path: Path, shapes: Mapping[str, tuple[int, ...]]) -> None:
    """A file of float32 arrays that are 0 yet, all of whose room on the disk is taken.

    To write through a map to a full disk would end the process.
    """
    text, end = _header({name: (shape, "float32") for name, shape in shapes.items()})
    with path.open("wb") as file:
        file.write(text)
        file.flush()
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, len(text) + end)
        else:
            file.truncate(len(text) + end)


def _header(arrays: Mapping[str, tuple[tuple[int, ...], str]]) -> tuple[bytes, int]:
    """What a file of arrays of these shapes and types begins with, and how long the rest is."""
    header, end = {}, 0
    for name, (shape, of) in arrays.items():
        begin, end = end, end + prod(shape) * np.dtype(of).itemsize
        header[name] = {"dtype": _NAMES[of], "shape": shape, "data_offsets": (begin, end)}
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % _ALIGNED)
    return len(text).to_bytes(8, "little") + text, end


def map_arrays(path: Path, *, write: bool = False) -> Arrays:
    """The arrays of a file as views of it; what is written to them reaches the file if `write`.

    Without it they can be written to as well, for themselves: Numba compiles anew for arrays that
    cannot.

    Raises:
        StoreError: if the file is not there, cut short, or no such file.
    """
    try:
        with path.open("r+b" if write else "rb") as file:
            access = mmap.ACCESS_WRITE if write else mmap.ACCESS_COPY
            content = np.frombuffer(mmap.mmap(file.fileno(), 0, access=access), dtype=np.uint8)
        begin = 8 + int.from_bytes(content[:8].tobytes(), "little")
        header = json.loads(content[8:begin].tobytes())
        return {name: _array(content[begin:], **place) for name, place in header.items()}
    except FileNotFoundError:
        raise StoreError(f"{path} is missing") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"{path} is damaged ({error})") from error


def _array(
    content: NDArray[np.uint8], dtype: str, shape: list[int], data_offsets: list[int]
) -> NDArray[Any]:
    begin, end = data_offsets
    if end > len(content):
        raise ValueError(f"cut short at {len(content):,} bytes")
    return content[begin:end].view(_TYPES[dtype]).reshape(shape)


def sum_of(path: Path) -> int:
    """A checksum that costs less than to read the file from a disk: the sum of its words."""
    with path.open("rb") as file:
        size = path.stat().st_size
        if size == 0:
            return 0
        content = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    words = content[: size - size % 8].view(np.uint64)
    step, total = _PIECE // 8, np.uint64(size)
    with np.errstate(over="ignore"):
        for first in range(0, len(words), step):
            total += np.add.reduce(words[first : first + step])
        total += np.add.reduce(content[len(words) * 8 :], dtype=np.uint64)
    return int(total)
