"""Output that is closed, full, or read by someone who goes away, for every command.

Nothing is a traceback, and what a command was to save is saved.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import transa
from torture.outcomes import Ending, Outcome, Outcomes
from torture.scene import LONGEST, SMALL, full_model, workshop
from transa.prepared.graph import PreparedGraph
from transa.prepared.record import is_prepared

# A reader that goes away at once is written behind the command.
_OUT = ("", ">&-", ">/dev/full", "| true", "| head -1", "| head -c 1")
_ERR = ("", "2>&-", "2>/dev/full", "2>&1", "2>/dev/null")
_CODES = (0, 2, 141)
_FORMATS = ((), ("--to", "csv"), ("--json",))


def phase(rng: Random, deadline: float) -> Outcomes:
    """Commands with such outputs until the deadline."""
    outcomes = Outcomes()
    with workshop() as folder:
        full_model().save(folder / "model")
        number = 0
        while number < 2 or time.monotonic() < deadline:
            outcomes.add(_one(rng, folder, writes=number % 2 == 0), f"output {number}")
            number += 1
    return outcomes


def _one(rng: Random, folder: Path, *, writes: bool) -> Outcome:
    place, out = folder / "model", folder / "made"
    shutil.rmtree(out, ignore_errors=True)
    saving = (
        ["train", folder / "road.tsv", *SMALL, "--out", out],
        ["train", folder / "road.tsv", *SMALL, "--out", out, "--json"],
        ["fold-in", place, folder / "new.tsv", "--out", out],
        ["prepare", folder / "road.tsv", "--out", out, "--partitions", "2", "--held-out", "9"],
    )
    showing = (
        *(["datasets"], ["models", "--json"], ["--help"], ["train", "--help"], ["nonsense"]),
        *(["info", place], ["similar", place, "t1"], ["classify", place, folder / "new.tsv"]),
        *(["predict", place, "--file", folder / "questions.tsv", *to] for to in _FORMATS),
        *(["discover", place], ["discover", place, "--json"], ["why", place, "t1", "near", "t9"]),
        *(
            ["inspect", folder / "road.tsv"],
            ["evaluate", place],
            ["similar", place, "t1", "--index"],
        ),
    )
    words = [sys.executable, "-m", "transa", *rng.choice(saving if writes else showing)]
    out_to, err_to = rng.choice(_OUT), rng.choice(_ERR)
    if (out_to, err_to) == (">&-", "2>&1"):
        # The shell would not begin: there is nothing to join.
        err_to = "2>&-"
    redirected = out_to if out_to.startswith(">") else ""
    reader = out_to if out_to.startswith("|") else "| cat"
    status = folder / "status"
    called = f"{shlex.join(map(str, words))} {redirected} {err_to}"
    line = f"({called}; echo $? > {shlex.quote(str(status))}) {reader}"
    done = subprocess.run(
        ["sh", "-c", line], capture_output=True, text=True, timeout=LONGEST, check=False
    )
    code, said = int(status.read_text()), done.stderr + done.stdout
    if code not in _CODES or "Traceback" in said or "Exception ignored" in said:
        return Outcome(Ending.CRASHED, f"{line}: {code}, {said[-400:]}")
    if writes:
        try:
            PreparedGraph(out) if is_prepared(out) else transa.load(out)
        except transa.TransaError as error:
            return Outcome(Ending.LOST, f"{line}: {error}")
    return Outcome(Ending.REFUSED if code == 2 else Ending.SURVIVED)
