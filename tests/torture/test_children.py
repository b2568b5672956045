"""That torture notices: a library that crashes, hangs or swells is found, and found again."""

from __future__ import annotations

import math
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from torture import children
from torture.outcomes import Ending, Outcome

HERE = "tests.torture.test_children"
# Each kind once.
SEED, CASES = 273, 7


def inputs(rng: Random) -> Iterator[str]:
    """Words for what is to happen."""
    while True:
        yield rng.choice(["well", "well", "refused", "raise", "abort", "swell", "hang"])


def try_one(one: str, folder: Path) -> Outcome:
    """Do what the input says."""
    assert folder.is_dir()
    if one == "abort":
        os.kill(os.getpid(), signal.SIGABRT)
    if one == "hang":
        time.sleep(3600)
    if one == "swell":
        bytes(1 << 40)
    if one == "raise":
        raise RuntimeError("raised")
    return Outcome(Ending.REFUSED if one == "refused" else Ending.SURVIVED)


@pytest.fixture(scope="module")
def made() -> list[str]:
    return [children.case_of(sys.modules[__name__], SEED, case) for case in range(CASES)]


def test_every_crash_is_found_with_its_case_and_the_rest_goes_on(monkeypatch, made):
    monkeypatch.setattr(children, "SILENCE", 6.0)
    outcomes = children.run_cases(HERE, SEED, math.inf, most=CASES)
    assert {"abort", "hang", "swell", "raise"} <= set(made)
    words = {"abort": "-6", "hang": "silence", "swell": "MemoryError", "raise": "raised"}
    expected = [(case, words[one]) for case, one in enumerate(made) if one in words]
    assert len(outcomes.found) == len(expected)
    for line, (case, word) in zip(outcomes.found, expected, strict=True):
        assert f"--seed {SEED} --case {case}: " in line
        assert word in line
    assert outcomes.counts[Ending.SURVIVED] == made.count("well")
    assert outcomes.counts[Ending.REFUSED] == made.count("refused")
