"""Records: what a unit came to, one JSON file each, and which code it was."""

from __future__ import annotations

import json
import subprocess
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import transa
from experiments.running.unit import Unit
from transa import __version__
from transa.errors import StoreError
from transa.files.whole import whole_file
from transa.settings.config import Plain

FORMAT = 1


@dataclass(frozen=True)
class Record:
    """What a unit came to.

    Attributes:
        unit: the unit, every setting written out; see `Unit.plain`.
        digest: of the unit.
        counts: entities, relations and triples of the graph.
        made: code version, start, threads, seconds of training and measuring.
        training: epochs, the chosen one, how the run ended, the mean margin.
        validation: what was measured on the validation split: what choices are made by.
        test: the same on the test split; None until the unit is a final one.
    """

    unit: Plain
    digest: str
    counts: Plain
    made: Plain
    training: Plain
    validation: Plain
    test: Plain | None = None

    @property
    def graph(self) -> str:
        """The graph's name."""
        return str(self.unit["graph"])

    @property
    def settings(self) -> Plain:
        """The model's settings."""
        settings: Plain = self.unit["settings"]
        return settings

    @property
    def seed(self) -> int:
        """The seed of the recipe."""
        return int(self.settings["seed"])

    @property
    def mean_margin(self) -> float:
        """Over triples and sides, in the epoch whose vectors were kept."""
        return float(self.training["chosen_margin"])

    def label(self, name: str) -> Any:  # noqa: ANN401 (a word or a number)
        """What the unit is called by; None where it has no such label."""
        return self.unit["labels"].get(name)


def path_of(folder: Path, unit: Unit) -> Path:
    """Where the record of a unit is kept."""
    return folder / unit.experiment / unit.file_name


def write(path: Path, record: Record) -> None:
    """Write a record, whole or not at all.

    Raises:
        StoreError: if the disk refuses.
    """
    content = json.dumps({"format": FORMAT, **asdict(record)}, indent=1, ensure_ascii=False)
    with whole_file(path) as part:
        part.write_text(content + "\n", encoding="utf-8")


def read(path: Path) -> Record:
    """Read a record.

    Raises:
        StoreError: for a file that is no record.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content.pop("format") > FORMAT:
            raise StoreError(f"{path}: written by a newer transa; upgrade to read it")
        return Record(**content)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(
            f"{path}: not a record of an experiment ({error}); delete it and run the experiment "
            "again"
        ) from error


def read_all(folder: Path, experiment: str) -> list[Record]:
    """The records of an experiment, in the order of their names."""
    return [read(path) for path in sorted((folder / experiment).glob("*.json"))]


@cache
def code_version() -> Plain:
    """The package's version and, in a clone, its commit and whether the source differs from it."""
    source = Path(transa.__file__).parent
    commit = _git(source, "rev-parse", "HEAD")
    if commit is None:
        return {"transa": __version__}
    changed = bool(_git(source, "status", "--porcelain", "--untracked-files=no", "--", "."))
    return {"transa": __version__, "commit": commit, "changed_since": changed}


def _git(folder: Path, *arguments: str) -> str | None:
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
