"""Which folder holds a named graph."""

from __future__ import annotations

import os
from pathlib import Path

from transa.datasets.catalogue import info
from transa.datasets.download import download
from transa.errors import InputError
from transa.files.cache import cache_folder

_PACKAGED = Path(__file__).with_name("countries")


def folder_of(name: str) -> Path:
    """The folder of a named graph, downloaded if it is nowhere on this machine."""
    return local_folder(name) or download(name, cache_folder())


def is_local(name: str) -> bool:
    """Whether a named graph can be loaded without the network."""
    return local_folder(name) is not None


def local_folder(name: str) -> Path | None:
    """The folder in the package, in `TRANSA_DATA` or in the cache, whichever comes first."""
    if info(name).name == _PACKAGED.name:
        return _PACKAGED
    for find in (_data_folder, cache_folder):
        place = find()
        if place is not None and (place / name).is_dir():
            return place / name
    return None


def _data_folder() -> Path | None:
    named = os.environ.get("TRANSA_DATA")
    if not named:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise InputError(f"TRANSA_DATA names {named!r}, which is not a folder; correct or unset it")
    return folder
