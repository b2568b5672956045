"""What the phases work on: a small graph in a file, models of it, `transa` in a process."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import transa
from torture.outcomes import Ending, Outcome

TRANSA = [sys.executable, "-m", "transa"]
SMALL = ["--epochs", "1", "--dim", "4", "--threads", "1", "--engine", "autograd"]
LONGEST = 120.0
"""Seconds that a command may take; one that takes longer hangs."""


@contextmanager
def workshop() -> Iterator[Path]:
    """A folder with the files of `furnish`."""
    with tempfile.TemporaryDirectory(prefix="torture-") as name:
        folder = Path(name)
        furnish(folder)
        yield folder


def furnish(folder: Path) -> None:
    """Write towns along a road (`road.tsv`), two more (`new.tsv`), and questions about them."""
    near = [(i, j) for i in range(40) for j in range(40) if 0 < abs(i - j) < 5]
    lines = [f"t{i}\tnear\tt{j}\nt{j}\tlinked\tt{i}\n" for i, j in near]
    (folder / "road.tsv").write_text("".join(lines))
    new = [f"new{k}\tnear\tt{k + i}\n" for k in range(2) for i in range(4)]
    (folder / "new.tsv").write_text("".join(new))
    asked = [f"t{i}\tnear\t?\n?\tlinked\tt{i}\nt{i}\t?\tt{i + 1}\n" for i in range(30)]
    (folder / "questions.tsv").write_text("".join(asked))


def full_model(seed: int = 0) -> transa.Estimator:
    """One with all that a folder can have: probabilities, thresholds, an index."""
    return model(seed).fit_thresholds().build_index()


def prepared(folder: Path) -> Path:
    """The graph of `road.tsv` in partitions, in a folder."""
    from transa.prepared.prepare import Plan, prepare

    prepare(folder / "road.tsv", folder / "prepared", Plan(partitions=4, held_out=10))
    return folder / "prepared"


def model(seed: int = 0, **options: Any) -> transa.Estimator:  # noqa: ANN401 (any setting)
    """A model of the road that took no time to learn."""
    near = [(f"t{i}", f"t{j}") for i in range(40) for j in range(40) if 0 < abs(i - j) < 5]
    both = [row for i, j in near for row in ((i, "near", j), (j, "linked", i))]
    graph = transa.from_labels(both, name="road")
    small: dict[str, Any] = {"dim": 4, "epochs": 1, "threads": 1, "engine": "autograd"}
    return transa.Estimator("transe", **small | options, seed=seed).fit(graph)


def digest(found: transa.Estimator) -> str:
    """What tells one model from another: every number it has learnt."""
    whole = hashlib.sha256()
    for name, table in sorted(found.parameters_.items()):
        whole.update(name.encode() + table.tobytes())
    return whole.hexdigest()


def run(*words: object, **how: Any) -> subprocess.CompletedProcess[str]:  # noqa: ANN401
    """`transa` with these words, in a process of its own."""
    command = [*TRANSA, *map(str, words)]
    given = {"capture_output": True, "text": True, "timeout": LONGEST, "errors": "replace"} | how
    return subprocess.run(command, check=False, **given)


def judged(done: subprocess.CompletedProcess[str], codes: tuple[int, ...] = (0, 2)) -> Outcome:
    """How a command has ended: well, refused in one sentence, or otherwise."""
    said = done.stderr or ""
    if done.returncode not in codes or "Traceback" in said:
        return Outcome(Ending.CRASHED, f"{done.args} ended with {done.returncode}: {said[-600:]}")
    if done.returncode == 2:
        if said and not said.strip().splitlines()[-1].startswith("transa: "):
            return Outcome(Ending.CRASHED, f"{done.args} says no sentence: {said[-600:]}")
        return Outcome(Ending.REFUSED)
    return Outcome(Ending.SURVIVED)


def killed(command: list[str], seconds: float) -> bool:
    """Start a program and kill it after so long; whether it was still alive."""
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet) as process:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            return True
    return False


def a_moment(rng: Random, seconds: float) -> float:
    """Some time within so many seconds."""
    return rng.uniform(0, seconds)


def timed(*words: object) -> float:
    """Seconds that a command takes, which must end well."""
    began = time.monotonic()
    done = run(*words)
    if done.returncode:
        raise RuntimeError(f"{done.args}: {done.stderr}")
    return time.monotonic() - began
