"""``python -m torture``: every phase for its share of the time; 1 if any found something."""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from torture import readers
from torture.children import case_of
from torture.outcomes import Phase

PHASES: dict[str, Phase] = {"readers": readers.phase}


def main() -> int:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m torture", description=__doc__)
    parser.add_argument("--only", choices=PHASES, action="append", help="these phases alone")
    parser.add_argument("--seconds", type=float, default=60.0, help="for all of them together")
    parser.add_argument("--seed", type=int, default=None, help="by default another one each time")
    parser.add_argument("--case", type=int, help="one case of one phase once more, in this process")
    told = parser.parse_args()
    seed = Random().getrandbits(32) if told.seed is None else told.seed
    names = told.only or list(PHASES)
    if told.case is not None:
        return _again(names[0], seed, told.case)
    found = False
    for name in names:
        print(f"{name}, seed {seed}: ", end="", flush=True)
        outcomes = PHASES[name](Random(seed), time.monotonic() + told.seconds / len(names))
        print(outcomes)
        for line in outcomes.found:
            print(f"  {line}")
        found = found or bool(outcomes.found)
    return int(found)


def _again(name: str, seed: int, case: int) -> int:
    module = importlib.import_module(f"torture.{name}")
    one = case_of(module, seed, case)
    with tempfile.TemporaryDirectory() as folder:
        print(f"{one!r:.2000}", flush=True)
        print(module.try_one(one, Path(folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
