"""Run the benchmark: every work in a process of its own, results written as they come.

A work that fails is told in a sentence and the others go on; ``--only`` does one again. The results
of ``--quick`` go to a folder that is not kept, so that they never replace a full run's.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from benchmarks import contestants, machine, works
from benchmarks.figure import draw
from benchmarks.records import RESULTS, Point, Results
from benchmarks.report import line_of, print_table
from transa.errors import TransaError

# Seconds that a work may take before the others go on without it.
PATIENCE = 1800


def main() -> int:
    """Run what was asked for; 1 if some work failed."""
    arguments = parse_arguments()
    if arguments.alone:
        try:
            run_work(arguments.alone, arguments.quick, arguments.out)
        except TransaError as error:
            print(error)
            return 1
        return 0
    failed = [name for name in arguments.only or works.NAMES if not run_child(name, arguments)]
    if not (arguments.only or arguments.quick):
        subprocess.run([sys.executable, "-m", "benchmarks.roofline"], check=False)
    print_table(arguments.out)
    draw(arguments.out)
    for name in failed:
        print(f"{name} failed; `python -m benchmarks --only {name}` runs it again")
    return 1 if failed else 0


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=works.NAMES, metavar="WORK")
    parser.add_argument("--quick", action="store_true", help="fewer points, two rounds")
    parser.add_argument("--out", type=Path, help="folder of the results")
    parser.add_argument("--alone", choices=works.NAMES, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.out is None:
        arguments.out = RESULTS / "quick" if arguments.quick else RESULTS
    return arguments


def run_child(name: str, arguments: argparse.Namespace) -> bool:
    """Run one work in a process of its own; whether it came to its end."""
    command = [sys.executable, "-m", "benchmarks", "--alone", name, "--out", str(arguments.out)]
    if arguments.quick:
        command.append("--quick")
    # A group of its own, so that what it has started ends with it.
    child = subprocess.Popen(command, start_new_session=True)
    try:
        return child.wait(timeout=PATIENCE) == 0
    except subprocess.TimeoutExpired:
        print(f"{name} took more than {PATIENCE} s")
        return False
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)


def run_work(name: str, quick: bool, folder: Path) -> None:
    """Measure one work in this process, point by point."""
    work = works.load(name)
    peers, notes = contestants.peers() if work.PEERS else ([], ())
    print(f"\n{work.TITLE}", *notes, sep="\n", flush=True)
    results = Results(
        work=name,
        title=work.TITLE,
        machine=machine.facts(),
        quick=quick,
        complete=False,
        seconds=0.0,
        notes=notes,
        points=(),
    )
    began = time.perf_counter()
    for point in work.points(peers, quick):
        show(point)
        seconds = round(time.perf_counter() - began, 1)
        results = replace(results, points=(*results.points, point), seconds=seconds)
        results.write(folder)
    replace(results, complete=True).write(folder)


def show(point: Point) -> None:
    """A line as soon as there is something to tell."""
    print(line_of(point), flush=True)


if __name__ == "__main__":
    sys.exit(main())
