"""A disk that is full: files may grow to a limit only, or the file system has no more room.

What is written is whole, or refused in a sentence, and what stood there before is as it was.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random

import polars as pl

import transa
from torture.children import run_cases
from torture.outcomes import Ending, Outcome, Outcomes
from torture.scene import digest, model, workshop
from transa.asking.bulk.tables import write_answers
from transa.errors import StoreError
from transa.graph.readers.frame import frame_table
from transa.prepared.prepare import Plan, prepare

_WAYS = ("save", "export", "checkpoint", "answers", "index", "prepare")


def phase(rng: Random, deadline: float) -> Outcomes:
    """Half of the time with a limit of the process, half with a full file system."""
    seed, now = rng.getrandbits(32), time.monotonic()
    outcomes = run_cases("torture.disk", seed, max(now + 1, now + (deadline - now) / 2))
    with workshop() as folder:
        try:
            with mounted(folder, "size=256k"):
                number = 0
                while number == 0 or time.monotonic() < deadline:
                    outcomes.add(_fill(rng, folder), f"full disk {number}")
                    number += 1
        except NotAllowedError as reason:
            outcomes.remark = f"no full file system: {reason}"
    return outcomes


def inputs(rng: Random) -> Iterator[tuple[str, int]]:
    """What is written, and how large a file may be."""
    while True:
        yield rng.choice(_WAYS), rng.choice((0, 1, rng.randrange(1 << 9), rng.randrange(1 << 14)))


def try_one(one: tuple[str, int], folder: Path) -> Outcome:
    """Write over what stands there, under the limit."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    return _write(one[0], folder, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (one[1], most)))


def _fill(rng: Random, folder: Path) -> Outcome:
    """Write where there is next to no room."""
    ballast, room = folder / "ballast", rng.randrange(1 << 14)
    ballast.unlink(missing_ok=True)

    def fill() -> None:
        free = os.statvfs(folder)
        ballast.write_bytes(bytes(max(0, free.f_bavail * free.f_bsize - room)))

    outcome = _write(rng.choice(_WAYS), folder, fill)
    ballast.unlink(missing_ok=True)
    return outcome


def _write(way: str, folder: Path, limit: object) -> Outcome:
    old, new = _models()
    asked = new.bulk(frame_table(_questions(), None, "questions", gaps=True))
    place = folder / "model"
    old.save(place)
    shutil.rmtree(folder / "prepared", ignore_errors=True)
    soft, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    refused = False
    try:
        limit()  # type: ignore[operator]
        if way == "save":
            new.save(place)
        elif way == "export":
            new.export(folder / "vectors.tsv")
        elif way == "answers":
            write_answers(asked, folder / "answers.parquet")
        elif way == "index":
            old.build_index().save(place)
        elif way == "prepare":
            prepare(new.graph_, folder / "prepared", Plan(partitions=2, held_out=9))
        else:
            model(2, epochs=1).fit(new.graph_, checkpoint=folder / "checkpoint")
    except StoreError as error:
        refused = "\n" not in str(error)
    except Exception:
        return Outcome(Ending.CRASHED, f"{way}: {traceback.format_exc()[-600:]}")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, most))
    expected = new if way == "save" and not refused else old
    if digest(transa.load(place)) != digest(expected):
        return Outcome(Ending.LOST, f"{way}: another model stands there")
    # What a preparation has done stays, to be gone on with.
    if left := [path.name for path in folder.glob(".*.part")]:
        return Outcome(Ending.CRASHED, f"{way} leaves {left}")
    return Outcome(Ending.REFUSED if refused else Ending.SURVIVED)


def _questions() -> pl.DataFrame:
    heads = [f"t{i}" for i in range(40)] * 20
    return pl.DataFrame({"head": heads, "relation": "near", "tail": ""})


@cache
def _models() -> tuple[transa.Estimator, transa.Estimator]:
    return model(1), model(2, epochs=3)


class NotAllowedError(Exception):
    """This machine does not let us mount."""


@contextmanager
def mounted(folder: Path, options: str) -> Iterator[None]:
    """A file system in memory at this folder."""
    command = ["mount", "-t", "tmpfs", "-o", options, "torture", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise NotAllowedError(str(error)) from error
    if done.returncode:
        raise NotAllowedError(" ".join(done.stderr.split()))
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=False)
