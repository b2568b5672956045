"""``python -m torture``: every phase for its share of the time; 1 if any found something."""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
import time
import traceback
from pathlib import Path
from random import Random

from torture.children import case_of
from torture.outcomes import HEADINGS, Ending, Outcome, Outcomes, Phase

# How the time is shared: a million files take some twenty minutes of an hour.
PHASES = {
    **{"readers": 10, "folders": 2, "commands": 3, "kills": 7, "serving": 2, "disk": 1},
    **{"readonly": 1, "memory": 1, "output": 1, "clock": 1, "two": 1},
}
AN_HOUR, QUICK = 3600.0, 300.0


def main() -> int:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m torture", description=__doc__)
    parser.add_argument("--only", choices=PHASES, action="append", help="these phases alone")
    parser.add_argument("--quick", action="store_true", help="five minutes instead of an hour")
    parser.add_argument("--seconds", type=float, help="for all phases together")
    parser.add_argument("--seed", type=int, help="by default another one each time")
    parser.add_argument("--case", type=int, help="one case of one phase once more, in this process")
    parser.add_argument("--found", type=Path, default=Path("torture-found.txt"), help="kept here")
    told = parser.parse_args()
    seed = Random().getrandbits(32) if told.seed is None else told.seed
    names = told.only or list(PHASES)
    if told.case is not None:
        return _again(names[0], seed, told.case)
    seconds = told.seconds or (QUICK if told.quick else AN_HOUR)
    share = seconds / sum(PHASES[name] for name in names)
    return _run_all({name: share * PHASES[name] for name in names}, seed, told.found)


def _run_all(seconds: dict[str, float], seed: int, kept: Path) -> int:
    rows, found = [], []
    for name, share in seconds.items():
        print(f"{name}, seed {seed} ...", flush=True)
        outcomes = _outcomes_of(name, seed, share)
        rows.append(outcomes.row(name))
        for line in outcomes.found:
            print(f"  {line}", flush=True)
        found += [f"{name}, seed {seed}: {line}" for line in outcomes.found]
        with kept.open("a", encoding="utf-8") as file:
            file.writelines(f"{name}, seed {seed}: {line}\n" for line in outcomes.found)
    first, *others = HEADINGS
    print(f"\n| {first:<9} | " + " | ".join(f"{word:>9}" for word in others) + " |")
    print("|" + "|".join(["-" * 11, *["-" * 10 + ":"] * len(others)]) + "|")
    print("\n".join(rows))
    if found:
        print(f"\n{len(found)} found; how to have them again is in {kept}")
    return int(bool(found))


def _outcomes_of(name: str, seed: int, seconds: float) -> Outcomes:
    """How a phase's cases ended; one that cannot go on does not take the others with it."""
    try:
        return phase_of(name)(Random(seed), time.monotonic() + seconds)
    except Exception:
        outcomes = Outcomes()
        outcomes.add(Outcome(Ending.CRASHED, traceback.format_exc()), "the phase itself")
        return outcomes


def phase_of(name: str) -> Phase:
    """The function of a phase."""
    phase: Phase = importlib.import_module(f"torture.{name}").phase
    return phase


def _again(name: str, seed: int, case: int) -> int:
    module = importlib.import_module(f"torture.{name}")
    one = case_of(module, seed, case)
    with tempfile.TemporaryDirectory() as folder:
        print(f"{one!r:.2000}", flush=True)
        print(module.try_one(one, Path(folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
