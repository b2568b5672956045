"""Cases in a process of their own, which may die, hang or swell without harm to the one that asks.

A child gets ready (a module's ``get_ready``, if it has one), then makes case after case of its
``inputs`` and says before each which it is; whoever hears nothing for `SILENCE` seconds ends it. A
new child goes on after the case that was fatal.
"""

from __future__ import annotations

import importlib
import os
import queue
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from torture.outcomes import Ending, Outcome, Outcomes

SILENCE = 60.0
"""Seconds that one case may take, a busy machine included."""
STARTING = 300.0
"""Seconds that a child may take to get ready."""
ADDRESS_SPACE = 6 << 30
"""Bytes a child may map: its libraries alone map two or three of them."""


def run_cases(
    module: str,
    seed: int,
    deadline: float,
    most: int | None = None,
    first: int = 0,
    *,
    per_child: int = 10**6,
    silence: float | None = None,
) -> Outcomes:
    """Cases of `module` from the number `first` on, until the deadline or `most` of them.

    Args:
        module: has `inputs` and `try_one`.
        seed: of its cases.
        deadline: of `time.monotonic`.
        most: how many cases, if the deadline does not come first.
        first: the number of the first.
        per_child: how many a child has before the next one is started.
        silence: seconds that a case may take, else `SILENCE`.
    """
    outcomes, case = Outcomes(), first
    end = first + most if most else first + 10**12
    while time.monotonic() < deadline and case < end:
        until = min(end, case + per_child)
        for number, outcome in _one_child(module, seed, case, deadline, until, silence or SILENCE):
            outcomes.add(outcome, f"--only {module.split('.')[-1]} --seed {seed} --case {number}")
            case = number + 1
    return outcomes


def run_on_all_cores(module: str, rng: Random, deadline: float, **how: Any) -> Outcomes:  # noqa: ANN401 (of `run_cases`)
    """Cases of `module` until the deadline, of another seed on each core."""
    seeds = [rng.getrandbits(32) for _ in range(os.cpu_count() or 1)]
    with ThreadPoolExecutor(len(seeds)) as pool:
        parts = pool.map(lambda seed: run_cases(module, seed, deadline, **how), seeds)
        return sum(parts, start=Outcomes())


def _one_child(
    module: str, seed: int, case: int, deadline: float, end: int, silence: float
) -> Iterator[tuple[int, Outcome]]:
    """The cases that one child comes through, and the one that it does not."""
    words = [sys.executable, "-m", "torture.children", module, str(seed), str(case), str(end)]
    with (
        tempfile.TemporaryFile("w+") as complaints,
        subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=complaints, text=True, errors="replace"
        ) as child,
    ):
        heard = True
        try:
            for line in _lines(child, silence):
                word, number, what = line.rstrip("\n").split(" ", 2)
                case = int(number)
                if word not in ("ready", "begin"):
                    yield case, Outcome(Ending(word), what)
                    case += 1
                if time.monotonic() > deadline:
                    return
        except queue.Empty:
            heard = False
        finally:
            child.kill()
        code = child.wait()
        if heard and code == 0:
            return
        complaints.seek(0)
        last = " ".join(complaints.read().split())[-300:]
        why = f"the process ended with {code}: {last}" if heard else f"silence for {silence} s"
        yield case, Outcome(Ending.CRASHED, why)


def _lines(child: subprocess.Popen[str], silence: float) -> Iterator[str]:
    """The lines a child prints, until it ends; silence is a `queue.Empty`."""
    said: queue.SimpleQueue[str] = queue.SimpleQueue()

    def listen() -> None:
        # Closed under our hands where the deadline has come.
        with suppress(ValueError):
            for line in child.stdout or ():
                said.put(line)
        said.put("")

    threading.Thread(target=listen, daemon=True).start()
    patience = STARTING
    while line := said.get(timeout=patience):
        patience = silence
        yield line


def _be_a_child(name: str, seed: str, first: str, end: str) -> None:
    module: Any = importlib.import_module(name)
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as folder:
        case = int(first)
        getattr(module, "get_ready", lambda _: None)(Path(folder))
        print("ready", case, "", flush=True)
        while case < int(end):
            print("begin", case, "", flush=True)
            outcome = module.try_one(case_of(module, int(seed), case), Path(folder))
            what = " ".join(outcome.what.split())
            print(outcome.ending.value, case, what, flush=True)
            case += 1


def case_of(module: Any, seed: int, case: int) -> Any:  # noqa: ANN401 (each has inputs of its own)
    """The input with this number: the same for the same seed, whatever came before it."""
    return next(islice(module.inputs(Random(f"{seed} {case}")), 1))


if __name__ == "__main__":
    _be_a_child(*sys.argv[1:])
