"""Several processes on one folder: each saves whole or is told who does, and whoever loads can."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import transa
from torture.outcomes import Ending, Outcome, Outcomes
from torture.scene import LONGEST, SMALL, TRANSA, digest, judged, model, workshop
from transa.prepared.graph import PreparedGraph

_SAVE = """
import sys, transa
model = transa.load(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for _ in range(5):
    try:
        model.save(sys.argv[2])
    except transa.errors.StoreError as error:
        assert "is writing it" in str(error), error
"""
_SAVERS = 4


def phase(rng: Random, deadline: float) -> Outcomes:
    """Saves at once, and runs at once, until the deadline."""
    outcomes, number = Outcomes(), 0
    with workshop() as folder:
        models = [model(seed) for seed in range(_SAVERS)]
        for seed, one in enumerate(models):
            one.save(folder / f"m{seed}")
        models[0].save(folder / "shared")
        digests = {digest(one) for one in models}
        while number < 1 or time.monotonic() < deadline:
            if number % 3 == 0:
                one = _save_at_once(folder, digests)
            else:
                one = _command_at_once(rng, folder, "train" if number % 3 == 1 else "prepare")
            for outcome in one:
                outcomes.add(outcome, f"two {number}")
            number += 1
    return outcomes


def _save_at_once(folder: Path, digests: set[str]) -> list[Outcome]:
    shared, pipe = folder / "shared", subprocess.PIPE
    savers = [
        subprocess.Popen(
            [sys.executable, "-c", _SAVE, str(folder / f"m{seed}"), str(shared)],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            text=True,
        )
        for seed in range(_SAVERS)
    ]
    for saver in savers:
        assert saver.stdout is not None
        saver.stdout.readline()
    for saver in savers:
        assert saver.stdin is not None
        saver.stdin.write("go\n")
        saver.stdin.flush()
    outcomes = []
    while any(saver.poll() is None for saver in savers):
        try:
            fine = digest(transa.load(shared)) in digests
            outcomes.append(Outcome(Ending.SURVIVED if fine else Ending.LOST, "another model"))
        except transa.TransaError as error:
            outcomes.append(Outcome(Ending.LOST, str(error)))
    for saver in savers:
        _, said = saver.communicate()
        ending = Ending.CRASHED if saver.returncode else Ending.SURVIVED
        outcomes.append(Outcome(ending, said[-600:]))
    if left := [path.name for path in folder.glob(".shared.*")]:
        outcomes.append(Outcome(Ending.CRASHED, f"left behind: {left}"))
    return outcomes


def _command_at_once(rng: Random, folder: Path, command: str) -> list[Outcome]:
    out, source = folder / command, str(folder / "road.tsv")
    shutil.rmtree(out, ignore_errors=True)
    options = SMALL if command == "train" else ["--partitions", "2", "--held-out", "9"]
    words = [*TRANSA, command, source, *options, "--out", str(out), "--quiet"]
    quiet, pipe = subprocess.DEVNULL, subprocess.PIPE
    runs = []
    for _ in range(2):
        runs.append(subprocess.Popen(words, stdout=quiet, stderr=pipe, text=True))
        time.sleep(rng.choice((0, 0, 0.1)))
    ends = []
    for one in runs:
        _, said = one.communicate(timeout=LONGEST)
        ends.append(judged(subprocess.CompletedProcess(words, one.returncode, "", said)))
    try:
        PreparedGraph(out) if command == "prepare" else transa.load(out)
    except transa.TransaError as error:
        ends.append(Outcome(Ending.LOST, str(error)))
    return ends
