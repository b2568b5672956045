"""The command line as its user meets it."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from transa.cli.app import run


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, as a machine reads it."""
        return json.loads(self.out)

    def is_refused(self, *words: str) -> bool:
        """One sentence on stderr with these words, nothing on stdout, exit code 2."""
        lines = self.err.splitlines()
        one = len(lines) == 1 and lines[0].startswith("transa: ")
        return one and self.code == 2 and not self.out and all(word in self.err for word in words)


@pytest.fixture
def command(monkeypatch, capfd):
    """Run `transa` with these arguments, in this process."""

    def call(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["transa", *map(str, arguments)])
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            run()
        out, err = capfd.readouterr()
        return Done(ended.value.code, out, err)

    return call


@pytest.fixture
def folder(fitted, tmp_path) -> Path:
    """A model folder."""
    fitted.save(tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def triples(tmp_path) -> Path:
    """A file of triples: twelve towns along a road."""
    file = tmp_path / "road.tsv"
    edges = [(i, j) for i in range(12) for j in range(12) if 0 < abs(i - j) < 4]
    file.write_text("".join(f"t{i}\tnear\tt{j}\nt{j}\tlinked\tt{i}\n" for i, j in edges))
    return file
