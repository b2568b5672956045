"""A slice of every phase of `make torture`: a few cases each, by a seed that never changes."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from random import Random

import pytest

from torture.__main__ import PHASES, phase_of
from torture.children import run_cases
from torture.outcomes import Ending

# Cases of a child take milliseconds; where each is a process or more, the least that there are.
IN_A_CHILD = {"readers": 40, "folders": 30, "commands": 20, "memory": 4}


def test_every_phase_is_one_or_the_other():
    assert set(IN_A_CHILD) < set(PHASES)


@pytest.mark.parametrize("name", list(IN_A_CHILD))
def test_cases_in_a_child(name):
    outcomes = run_cases(f"torture.{name}", 5, math.inf, most=IN_A_CHILD[name])
    assert outcomes.found == []
    assert outcomes.counts.total() == IN_A_CHILD[name]
    assert outcomes.counts[Ending.REFUSED] > 0


@pytest.mark.parametrize("name", [name for name in PHASES if name not in IN_A_CHILD])
def test_cases_that_are_processes(name):
    outcomes = phase_of(name)(Random(5), time.monotonic())
    assert outcomes.found == []
    assert outcomes.counts.total() > 0 or "mounted" in outcomes.remark


def test_the_table_and_what_was_found(tmp_path):
    command = [sys.executable, "-m", "torture", "--only", "readers", "--seconds", "0.1"]
    kept = tmp_path / "found.txt"
    done = subprocess.run(
        [*command, "--seed", "1", "--found", str(kept)], capture_output=True, text=True, check=False
    )
    head, _, row = done.stdout.strip().splitlines()[-3:]
    expected = ["", "phase", "tried", "refused", "survived", "lost", "crashed", ""]
    assert [cell.strip() for cell in head.split("|")] == expected
    assert row.startswith("| readers ")
    assert (done.returncode, kept.read_text()) == (0, "")
