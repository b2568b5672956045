"""The command line as its user meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from transa.cli.app import run


@pytest.fixture
def command(call_in_process):
    """Run `transa` with these arguments, in this process."""
    return call_in_process(run)


@pytest.fixture
def folder(fitted, tmp_path) -> Path:
    """A model folder."""
    fitted.save(tmp_path / "model")
    return tmp_path / "model"
