"""A clock that jumps: by days, forwards and backwards, and the monotonic one forwards, in sleep.

The jumps are made where Python asks for the time, by a `sitecustomize` that every process of the
phase imports. What is learnt does not depend on them.
"""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from random import Random

import transa
from torture.outcomes import Ending, Outcome, Outcomes
from torture.scene import digest, judged, run, workshop

_JUMPS = """
import os, random, time
_rng = random.Random(os.environ["TORTURE_CLOCK"])
_time, _monotonic, _ahead = time.time, time.monotonic, [0.0]

def _jumping():
    return _time() + (_rng.uniform(-1e9, 1e9) if _rng.random() < 0.3 else 0)

def _never_back():
    if _rng.random() < 0.1:
        _ahead[0] += _rng.choice((0.5, 60.0, 86400.0))
    return _monotonic() + _ahead[0]

time.time, time.monotonic = _jumping, _never_back
"""


def phase(rng: Random, deadline: float) -> Outcomes:
    """Runs by a clock that jumps until the deadline, each beside one whose clock does not."""
    outcomes = Outcomes()
    with workshop() as folder:
        (folder / "sitecustomize.py").write_text(_JUMPS)
        options = [folder / "road.tsv", "--split", "0.8,0.1,0.1", "--dim", "8", "--epochs", "10"]
        options += ["--threads", "1", "--engine", "autograd"]
        steady = folder / "steady"
        run("train", *options, "--out", steady)
        expected, number = digest(transa.load(steady)), 0
        while number == 0 or time.monotonic() < deadline:
            outcomes.add(_one(rng, folder, options, expected), f"clock {number}")
            number += 1
    return outcomes


def _one(rng: Random, folder: Path, options: list[object], expected: str) -> Outcome:
    paths = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    jumping = {"PYTHONPATH": paths, "TORTURE_CLOCK": str(rng.getrandbits(32))}
    out = folder / "jumping"
    shutil.rmtree(out, ignore_errors=True)
    done = run("train", *options, "--out", out, env={**os.environ, **jumping})
    outcome = judged(done, (0,))
    if outcome.ending is Ending.SURVIVED and digest(transa.load(out)) != expected:
        return Outcome(Ending.LOST, f"{jumping}: something else was learnt")
    return outcome
