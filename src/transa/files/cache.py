"""Where this user's copies are kept: graphs that were downloaded, kernels that were compiled."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_path


def cache_folder() -> Path:
    """The folder that `TRANSA_CACHE` names, or the system's place for such things."""
    chosen = os.environ.get("TRANSA_CACHE")
    return Path(chosen).expanduser() if chosen else user_cache_path("transa", appauthor=False)
