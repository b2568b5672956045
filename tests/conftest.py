"""What tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_BESIDE_THE_REPOSITORY = Path(__file__).parents[2] / "shared" / "datasets"


@pytest.fixture(scope="session")
def datasets() -> Path:
    """The folder of benchmark graphs."""
    named = os.environ.get("TRANSA_DATA")
    folder = Path(named) if named else _BESIDE_THE_REPOSITORY
    if not folder.is_dir():
        pytest.skip(f"no benchmark graphs: TRANSA_DATA is not set and {folder} does not exist")
    return folder
