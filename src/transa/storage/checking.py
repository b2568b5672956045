"""Files of a model folder held to their checksums."""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections.abc import Sequence
from io import BufferedReader
from pathlib import Path

from transa.errors import StoreError
from transa.files.schema import ends_well, open_regular, parse, read_text
from transa.settings.config import Plain
from transa.storage.tables import map_tables

CHECKSUMS, PARAMETERS = "checksums.json", "parameters.safetensors"


def verify(
    folder: Path, place: Path, needed: Sequence[str], optional: Sequence[str], largest: float
) -> None:
    """Hold files to their checksums, those that need not be there if they have one.

    Of a file of tables beyond so many bytes only the outline is looked at.

    Raises:
        StoreError: says which is not as it was written.
    """
    checksums = read_json(place / CHECKSUMS)
    if not checksums or not all(is_sha256(each) for each in checksums.values()):
        raise StoreError(f"{folder}: {CHECKSUMS} is missing or damaged; the model is incomplete")
    for name in (*needed, *(name for name in optional if name in checksums)):
        verify_file(folder, place / name, checksums.get(name), largest)


def verify_file(folder: Path, path: Path, checksum: str | None, largest: float = math.inf) -> None:
    """Hold one file to its checksum; see `verify`."""
    name = path.name
    try:
        file = open_regular(path)
    except OSError:
        raise StoreError(f"{folder}: {name} is missing; the model is incomplete") from None
    except StoreError as error:
        raise StoreError(f"{folder}: {error}") from None
    with file:
        if name == PARAMETERS:
            _check_tables(folder, path)
            if os.fstat(file.fileno()).st_size > largest:
                return
        # The ends first: a file that swelled to gigabytes is told from ours without reading it.
        is_ours = ends_well(path, file) and checksum == _digest(file)
    if not is_ours:
        raise StoreError(
            f"{folder}: {name} is not as it was written (its checksum differs); "
            "restore the folder or train again"
        )


def _check_tables(folder: Path, path: Path) -> None:
    try:
        map_tables(path)
    except StoreError as error:
        raise StoreError(
            f"{folder}: {path.name} is not as it was written ({error}); restore the folder or "
            "train again"
        ) from None


def is_sha256(text: object) -> bool:
    """Whether it can be one."""
    return isinstance(text, str) and re.fullmatch("[0-9a-f]{64}", text) is not None


def sha256(path: Path) -> str:
    """Of a file."""
    with open_regular(path) as file:
        return _digest(file)


def _digest(file: BufferedReader) -> str:
    return hashlib.file_digest(file, "sha256").hexdigest()


def read_json(path: Path) -> Plain:
    """The object in a file; an empty one if there is no such file or it holds something else."""
    try:
        content = parse(read_text(path))
    except (OSError, ValueError, StoreError):
        return {}
    return content if isinstance(content, dict) else {}
