"""Where a model folder may be written, and what stands there already."""

from __future__ import annotations

from pathlib import Path

from transa.errors import StoreError
from transa.files.paths import path_of
from transa.files.whole import settled
from transa.settings.config import Plain
from transa.storage.checking import read_json

CONFIG = "config.json"


def check_free(folder: Path, *, overwrite: bool = True) -> None:
    """Refuse a place where a model would overwrite something else. Training asks before it begins.

    Args:
        folder: where a model is to be written.
        overwrite: whether a finished model may be replaced. One that a stopped run left may be in
            any case.

    Raises:
        StoreError: says what is there.
    """
    if path_of(folder).is_dir():
        config = read_json(settled(folder) / CONFIG)
        if any(folder.iterdir()) and not is_config(config):
            raise StoreError(f"{folder}: holds something other than a model; choose another folder")
    elif folder.exists():
        raise StoreError(f"{folder}: a file is there; choose another name for the model folder")
    if not overwrite and holds_finished_model(folder):
        raise StoreError(
            f"{folder} holds a finished model; choose another folder, or have it replaced with "
            "--overwrite (in Python: overwrite=True)"
        )


def holds_finished_model(folder: Path) -> bool:
    """Whether a model is there whose training came to its end."""
    config = read_json(settled(path_of(folder)) / CONFIG)
    training = config.get("training")
    stopped = training.get("stopped") if isinstance(training, dict) else None
    return is_config(config) and stopped != "interrupted"


def is_config(content: Plain) -> bool:
    """Whether this is the content of a model folder's ``config.json``."""
    return "transa" in content and isinstance(content.get("format"), int)
