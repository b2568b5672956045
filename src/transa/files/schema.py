"""What parsed JSON must be, told by the types of dataclasses; whatever is not is refused."""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from io import BufferedReader
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    TypeAlias,
    get_args,
    get_origin,
    get_type_hints,
)

from transa.errors import StoreError

MOST_BYTES = 64 << 20
"""Of a file that is parsed as JSON."""

_DEEPEST = 32


@dataclass(frozen=True)
class Between:
    """The range of a number: `Annotated[float, Between(0, 1)]`."""

    least: float = -math.inf
    most: float = math.inf


Natural: TypeAlias = Annotated[int, Between(0, 2**63 - 1)]
"""A count or a position, as arrays hold it."""

NotNegative: TypeAlias = Annotated[float, Between(0)]


def conform(kind: Any, plain: object, where: str) -> Any:  # noqa: ANN401 (an instance of `kind`)
    """What `plain` tells, as the type `kind` has it.

    Numbers are finite, and truth values are none; an object may have more than its dataclass asks
    for, since later versions may add to it.

    Raises:
        StoreError: says where it is something else.
    """
    if kind is float and type(plain) in (int, float):
        # Also of whole numbers that no float can hold.
        if not abs(plain) < math.inf or abs(plain) > 1e308:  # type: ignore[arg-type]
            raise StoreError(f"{where} is a finite number, found {_shown(plain)}")
        return float(plain)  # type: ignore[arg-type]
    if kind is Any or (type(plain) is kind and kind in (int, str, NoneType)):
        return plain
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        number = conform(inner[0], plain, where)
        if not inner[1].least <= number <= inner[1].most:
            bounds = f"{inner[1].least:,} to {inner[1].most:,}"
            raise StoreError(f"{where} is from {bounds}, found {_shown(plain)}")
        return number
    if origin is Literal and isinstance(plain, str) and plain in inner:
        return plain
    if origin is UnionType:
        return conform(_member(inner, plain), plain, where)
    if origin is dict and isinstance(plain, dict):
        return {key: conform(inner[1], each, f"{where}: {key}") for key, each in plain.items()}
    if origin is tuple and isinstance(plain, list):
        return tuple(conform(inner[0], each, where) for each in plain)
    if is_dataclass(kind) and isinstance(plain, dict):
        return _instance(kind, plain, where)
    raise StoreError(f"{where} is {_called(kind)}, found {_shown(plain)}")


def _instance(kind: Any, plain: Mapping[str, object], where: str) -> Any:  # noqa: ANN401
    values = {}
    for name, (inner, is_needed) in _fields(kind).items():
        if name in plain:
            values[name] = conform(inner, plain[name], f"{where}: {name}")
        elif is_needed:
            raise StoreError(f"{where}: {name} is missing")
    return kind(**values)


@cache
def _fields(kind: Any) -> dict[str, tuple[Any, bool]]:  # noqa: ANN401
    """The type of each field, and whether it must be given."""
    hints = get_type_hints(kind, include_extras=True)
    return {each.name: (hints[each.name], each.default is MISSING) for each in fields(kind)}


def _member(kinds: tuple[Any, ...], plain: object) -> Any:  # noqa: ANN401
    """Which of these it is to be: None, the dataclass that has its names, or the first."""
    if plain is None and NoneType in kinds:
        return NoneType
    if isinstance(plain, dict):
        named = (each for each in kinds if is_dataclass(each))
        kinds = (*(each for each in named if _names(each) == plain.keys()), *kinds)
    return kinds[0]


def _names(kind: Any) -> set[str]:  # noqa: ANN401
    return {each.name for each in fields(kind)}


def _called(kind: Any) -> str:  # noqa: ANN401
    if get_origin(kind) is Literal:
        return f"one of {', '.join(get_args(kind))}"
    if get_origin(kind) is tuple:
        return "a list"
    return {int: "a whole number", float: "a number", str: "a text"}.get(kind, "an object")


def _shown(plain: object) -> str:
    """Not by the page, nor to the bottom of what is nested."""
    if isinstance(plain, dict | list):
        return "an object" if isinstance(plain, dict) else "a list"
    return f"{plain!r:.60}" if not isinstance(plain, int) or abs(plain) < 10**60 else "a huge one"


def parse(text: str) -> Any:  # noqa: ANN401 (whatever JSON can hold)
    """What JSON tells.

    Raises:
        ValueError: if it is none, is nested deep, or has text in it that cannot be written.
    """
    try:
        content = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    level, depth = [content], 0
    while level:
        level, depth = [inner for each in level for inner in _inside(each)], depth + 1
        if depth > _DEEPEST:
            raise ValueError("it is nested too deep")
    return content


def _inside(content: object) -> list[object]:
    if isinstance(content, dict):
        return [*content, *content.values()]
    if isinstance(content, str):
        content.encode()
    return content if isinstance(content, list) else []


def read_text(path: Path) -> str:
    """The text of a file that is not beyond all bounds.

    Raises:
        OSError, ValueError, StoreError: if there is none.
    """
    with open_regular(path) as file:
        if os.fstat(file.fileno()).st_size > MOST_BYTES:
            raise StoreError(f"{path.name} has more than {MOST_BYTES >> 20} MB")
        return file.read().decode()


def ends_well(path: Path, file: BufferedReader) -> bool:
    """Whether a file of a model folder can be what its name says, by its length or its end."""
    size = os.fstat(file.fileno()).st_size
    if path.suffix == ".parquet":
        file.seek(max(0, size - 4))
        ending = file.read(4)
        file.seek(0)
        return ending == b"PAR1"
    return path.suffix == ".safetensors" or size <= MOST_BYTES


def open_regular(path: Path) -> BufferedReader:
    """Open a file, or the file that a link leads to, for its bytes.

    Raises:
        OSError: if there is none.
        StoreError: for what could wait or go on for ever: a pipe, a device, a folder.
    """
    # Else the opening itself would wait for whoever writes to the pipe.
    at_once = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, os.O_RDONLY | at_once)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise StoreError(f"{path.name} is no regular file; put the file itself in its place")
    return os.fdopen(handle, "rb")
