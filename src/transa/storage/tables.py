"""Tables as they lie in their file: nothing is read before it is needed, and nothing copied.

A safetensors file is 8 bytes that say how long its header is, the header in JSON (the type, shape
and place of each table), and the tables.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from transa.errors import StoreError
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
            np.ascontiguousarray(table, dtype="<f4").tofile(file)


def map_tables(path: Path) -> Parameters:
    """The tables of a file, read-only views of it.

    Raises:
        StoreError: if the file is cut short, or is no file of float32 tables.
    """
    try:
        content = np.memmap(path, dtype=np.uint8, mode="r")
        begin = 8 + int.from_bytes(content[:8].tobytes(), "little")
        header = json.loads(content[8:begin].tobytes())
        header.pop("__metadata__", None)
        return {name: _table(content[begin:], **place) for name, place in header.items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise StoreError(f"{path.name}: not the tables of a model ({error})") from None


def _table(
    data: NDArray[np.uint8], dtype: str, shape: list[int], data_offsets: list[int]
) -> NDArray[np.float32]:
    start, stop = data_offsets
    fits = 0 <= start <= stop <= len(data) and stop - start == 4 * math.prod(shape)
    if dtype != "F32" or not fits:
        raise ValueError(f"{dtype} {shape} at {start} to {stop} of {len(data)} bytes")
    return np.frombuffer(data[start:stop], dtype="<f4").reshape(shape)
