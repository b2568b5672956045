"""Tables as they lie in their file: nothing is read before it is needed, and nothing copied.

A safetensors file is 8 bytes that say how long its header is, the header in JSON (the type, shape
and place of each table), and the tables.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from transa.errors import StoreError
from transa.files.arrays import write_raw
from transa.files.schema import MOST_BYTES, Natural, conform, open_regular, parse
from transa.models.energy import Parameters, Tables

# Bytes: what matrix products like best, and what gives them the same bits as before the save.
_ALIGNED = 64


def write_tables(path: Path, tables: Tables) -> None:
    """Write tables of float32 so that any reader of safetensors, or `map_tables`, finds them."""
    header, end = {}, 0
    for name, table in tables.items():
        begin, end = end, end + table.nbytes
        header[name] = {"dtype": "F32", "shape": table.shape, "data_offsets": (begin, end)}
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % _ALIGNED)
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for table in tables.values():
            write_raw(file, np.asarray(table, dtype="<f4"))


def map_tables(path: Path, look_through: int = 0) -> Parameters:
    """The tables of a file, read-only views of it.

    Args:
        path: the file.
        look_through: in a file of no more bytes, every number is found to be one.

    Raises:
        StoreError: if the file is cut short, or is no file of float32 tables.
    """
    try:
        with open_regular(path) as file:
            content = np.memmap(file, dtype=np.uint8, mode="r")
        begin = 8 + int.from_bytes(content[:8].tobytes(), "little")
        if begin > min(len(content), MOST_BYTES):
            raise StoreError("its header is longer than can be")
        header = parse(content[8:begin].tobytes().decode())
        if isinstance(header, dict):
            header.pop("__metadata__", None)
        places = conform(dict[str, _Place], header, "its header")
        _check_apart(places.values())
        tables = {name: _table(content, begin, place) for name, place in places.items()}
        if begin + sum(table.nbytes for table in tables.values()) != len(content):
            raise StoreError("it has more than its tables")
        if len(content) <= look_through and not all(np.isfinite(t).all() for t in tables.values()):
            raise StoreError("not all of it is finite")
        return tables
    # Of a file that is larger than the process may map, the system says no.
    except (StoreError, ValueError, OSError) as error:
        raise StoreError(f"{path.name}: not the tables of a model ({error})") from None


@dataclass(frozen=True)
class _Place:
    """Where a table is; offsets are from the end of the header."""

    dtype: Literal["F32"]
    shape: tuple[Natural, ...]
    data_offsets: tuple[Natural, ...]


def _check_apart(places: Iterable[_Place]) -> None:
    ends = [end for place in sorted(p.data_offsets for p in places) for end in place]
    if ends != sorted(ends):
        raise StoreError("its tables overlap")


def _table(content: NDArray[np.uint8], begin: int, place: _Place) -> NDArray[np.float32]:
    start, stop = (begin + offset for offset in place.data_offsets)
    fits = start <= stop <= len(content) and stop - start == 4 * math.prod(place.shape)
    # No processor likes numbers that begin in the middle of one.
    if not fits or start % 4:
        raise StoreError(f"{place.shape} at {start} to {stop} of {len(content)} bytes")
    return np.frombuffer(content[start:stop], dtype="<f4").reshape(place.shape)
